// Adds the context of a running activity to its outward calls (its cancellation) and to its log
// lines (its name).
import { setMaxListeners } from 'node:events';
import { asyncLocalStorage } from '@temporalio/activity';
import type { Outbound } from '../../http/outbound';
import type { Log } from '../../ports/observe';

/**
 * The answer to a heartbeat carries the cancellation, so this bounds how late a call is cancelled.
 */
export const HEARTBEAT_EVERY_MS = 2_000;

/**
 * An outward call of an activity ends when the activity is cancelled, by its workflow or by a
 * worker that stops. A worker that stops cancels no local activities: their calls end by the
 * signal. A call of a regular activity heartbeats while it lasts. Calls made outside activities are
 * unchanged.
 * @param stop aborted when a stopping worker no longer waits for its activities
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
      // The SDK's core logs a warning for a heartbeat of a local activity and does not answer it.
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

/**
 * `AbortSignal.any` over a signal that lives as long as the process would leak the signal of every
 * call.
 */
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

/** A signal that is aborted `ms` after the other one. */
export function abortedAfter(signal: AbortSignal, ms: number): AbortSignal {
  const later = new AbortController();
  const begin = () => {
    setTimeout(() => later.abort(), ms).unref();
  };
  signal.addEventListener('abort', begin, { once: true });
  // Each call under way adds a listener: no warning about too many of them.
  setMaxListeners(0, later.signal);
  return later.signal;
}

/** Adds workflow id, activity type and attempt to the lines that an activity logs. */
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
