// What a running activity gives to the calls and the log lines that it makes: its cancellation and its name.
import { setMaxListeners } from 'node:events';
import { asyncLocalStorage } from '@temporalio/activity';
import type { Outbound } from '../../http/outbound';
import type { Log } from '../../ports/log';

/** A cancellation reaches an activity with the answer to a heartbeat, so this bounds how late a call learns of it. */
export const HEARTBEAT_EVERY_MS = 2_000;

/**
 * A call that an activity makes ends when the activity is cancelled, by its workflow or because the worker stops, which cancels no
 * local activity: those end by the signal. A call of a regular activity heartbeats while it lasts. Calls made outside activities are unchanged.
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
      // Core warns of a heartbeat of a local activity, and answers none.
      const { isLocal } = activity.info;
      const heartbeats = isLocal ? undefined : setInterval(() => activity.heartbeat(), everyMs);
      const stopped = follow(stop);
      try {
        const signal = AbortSignal.any([activity.cancellationSignal, stopped.signal]);
        return await outbound.send({ ...request, signal });
      } finally {
        stopped.release();
        clearInterval(heartbeats);
      }
    },
  };
}

/** `AbortSignal.any` over a signal that lives as long as the process would keep the signal of every call. */
function follow(signal: AbortSignal) {
  const follower = new AbortController();
  const onAbort = () => {
    follower.abort();
  };
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort);
  return {
    signal: follower.signal,
    release() {
      signal.removeEventListener('abort', onAbort);
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
  // Each call under way listens.
  setMaxListeners(0, later.signal);
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
