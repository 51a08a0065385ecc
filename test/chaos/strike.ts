// What every strike goes by: how it is asked, what it works with, and how long it may take.
import type { Client } from '@temporalio/client';
import type { Database } from '../../src/postgres/database';
import type { EndpointDesk } from './endpoint-desk';
import type { ScheduledFault } from './schedule';
import type { SlowCommits } from './slow-commits';
import type { System } from './system';

export interface FaultTools {
  readonly system: System;
  /** Past all proxies. */
  readonly database: Database;
  readonly client: Client;
  readonly clocks: Clocks;
  readonly endpoints: EndpointDesk;
  readonly slowCommits: SlowCommits;
}

/** How far off the APIs' clocks are; undefined while one is being changed. */
export type Clocks = Map<string, number | undefined>;

/** Strikes, lasts, and is healed. Answers how often it struck: a trap may have caught nobody. */
export type Strike = (fault: ScheduledFault, tools: FaultTools) => Promise<number>;

/** For what was harmed to be as before: longer than the longest fault beside it. */
export const READY_WITHIN_MS = 90_000;

/** Postgres may be away: then nothing is done, or nobody knows, and the round at the end mends it. */
export function isDone(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}
