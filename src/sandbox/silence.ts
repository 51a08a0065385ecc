// Requests that are never answered, without leaking their connections (architecture, section 6, amounts 40002 and
// 40005).
import type { ServerResponse } from 'node:http';
import type { Schedule } from './schedule';

/** Longer than any caller waits; then the connection is destroyed. */
const SILENCE_MAX_MS = 60_000;

export interface Silence {
  /** Leaves this request without an answer. */
  keep(response: ServerResponse): void;
  /** Destroys every connection that still waits, and from then on those that would. */
  end(): void;
}

export function keepSilence(schedule: Schedule): Silence {
  const waiting = new Set<ServerResponse>();
  let hasEnded = false;
  return {
    keep: (response) => {
      if (hasEnded) {
        response.destroy();
        return;
      }
      waiting.add(response);
      const cancel = schedule(SILENCE_MAX_MS, () => response.destroy());
      response.once('close', () => {
        cancel();
        waiting.delete(response);
      });
    },
    end: () => {
      hasEnded = true;
      for (const response of waiting) response.destroy();
    },
  };
}
