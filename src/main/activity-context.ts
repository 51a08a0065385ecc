// What a running activity gives to the calls and the log lines that it makes: its cancellation and its name.
import { asyncLocalStorage } from '@temporalio/activity';
import type { Outbound } from '../http/outbound';
import type { Log } from '../ports/log';

/** A cancellation reaches an activity with the answer to a heartbeat, so this bounds how late a call learns of it. */
export const HEARTBEAT_EVERY_MS = 2_000;

/**
 * A call that an activity makes ends when the activity is cancelled, by its workflow or because the worker stops, which cancels no
 * local activity: those end by the signal. A call that takes long heartbeats. Calls made outside activities are unchanged.
 * @param stop aborted when a worker that stops waits no longer
 */
export function withCancellation(
  outbound: Outbound,
  stop: AbortSignal,
  everyMs = HEARTBEAT_EVERY_MS,
): Outbound {
  return {
    ...outbound,
    async send(request) {
      const activity = asyncLocalStorage.getStore();
      if (activity === undefined) return outbound.send(request);
      const heartbeats = setInterval(() => activity.heartbeat(), everyMs);
      try {
        const signal = AbortSignal.any([activity.cancellationSignal, stop]);
        return await outbound.send({ ...request, signal });
      } finally {
        clearInterval(heartbeats);
      }
    },
  };
}

/** Aborted that long after the other one. */
export function abortedAfter(signal: AbortSignal, ms: number): AbortSignal {
  const later = new AbortController();
  const begin = () => {
    setTimeout(() => later.abort(), ms).unref();
  };
  signal.addEventListener('abort', begin, { once: true });
  return later.signal;
}

/** Lines that an activity logs name its workflow, its type and its attempt. */
export function withActivityInfo(log: Log): Log {
  const about = () => {
    const info = asyncLocalStorage.getStore()?.info;
    if (info === undefined) return {};
    const { activityType, attempt, workflowExecution } = info;
    return { activity: activityType, attempt, workflow_id: workflowExecution?.workflowId };
  };
  return {
    info: (fields, message) => log.info({ ...about(), ...fields }, message),
    warn: (fields, message) => log.warn({ ...about(), ...fields }, message),
    error: (fields, message) => log.error({ ...about(), ...fields }, message),
  };
}
