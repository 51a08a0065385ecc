// What all fault injectors share: their type, their tools and a time limit.
import type { Actors } from '../actors/actors';
import type { ScheduledFault } from './schedule';
import type { System } from '../system';

export interface FaultTools extends Pick<
  Actors,
  'database' | 'client' | 'clocks' | 'endpoints' | 'slowCommits' | 'putBacks'
> {
  readonly system: System;
}

/**
 * Injects the fault, waits, and removes it. Returns how often, or whether, it took effect: a trap
 * may not have fired.
 */
export type Injector = (fault: ScheduledFault, tools: FaultTools) => Promise<number | boolean>;

/** Time for a part to recover: longer than the longest fault at the same time. */
export const READY_WITHIN_MS = 90_000;

/**
 * False when the work failed, for example because Postgres was away. The healing at the end makes
 * up for it.
 */
export function isDone(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}
