// Requests that the sandbox provider never answers (amounts 40002 and 40005).
import type { ServerResponse } from 'node:http';
import type { Schedule } from '../schedule';

/** Longer than any caller waits; then the connection is destroyed. */
const UNANSWERED_MAX_MS = 60_000;

export type UnansweredRequests = ReturnType<typeof createUnansweredRequests>;

/** Holds the requests without leaking their connections. */
export function createUnansweredRequests(schedule: Schedule) {
  const waiting = new Set<ServerResponse>();
  let hasEnded = false;
  return {
    hold(response: ServerResponse): void {
      if (hasEnded) {
        response.destroy();
        return;
      }
      waiting.add(response);
      const cancel = schedule(UNANSWERED_MAX_MS, () => response.destroy());
      response.once('close', () => {
        cancel();
        waiting.delete(response);
      });
    },
    /** Destroys every held connection, and from then on each new one at once. */
    end(): void {
      hasEnded = true;
      for (const response of waiting) response.destroy();
    },
  };
}
