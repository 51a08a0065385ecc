// What every strike goes by: how it is asked, what it works with, and how long it may take.
import type { Cast } from '../actors/actors';
import type { ScheduledFault } from './schedule';
import type { System } from '../system';

export interface FaultTools extends Pick<
  Cast,
  'database' | 'client' | 'clocks' | 'endpoints' | 'slowCommits'
> {
  readonly system: System;
}

/** Strikes, lasts, and is healed. Answers how often it struck, or whether: a trap may have caught nobody. */
export type Strike = (fault: ScheduledFault, tools: FaultTools) => Promise<number | boolean>;

/** For what was harmed to be as before: longer than the longest fault beside it. */
export const READY_WITHIN_MS = 90_000;

/** Postgres may be away: then nothing is done, or nobody knows, and the round at the end mends it. */
export function isDone(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}
