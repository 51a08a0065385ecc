// The actors of a chaos run: partners, payers and operators. Their connections bypass all proxies.
import { createDatabase } from '../../../src/postgres/database';
import { connectTemporal } from '../../../src/temporal/connection';
import { createRandom } from '../../bench/load/random';
import type { ChaosOptions } from '../command-line';
import { createApiDriver } from './api-driver';
import { createEndpointOperator } from './endpoint-operator';
import type { Period } from '../report/evidence';
import { APIS } from '../faults/links';
import { createLoad } from './load';
import { createOperator } from './operator';
import { forPeopleWith } from './for-people';
import { createPartnerActor } from './partner';
import type { System } from '../system';

export type Actors = ReturnType<typeof createActors>;
const POOL_SIZE = 4;

/** A snapshot of Postgres that was put back. */
interface PutBack {
  readonly atMs: number;
  /** Whether payouts were stopped. */
  readonly isNoticed: boolean;
}

export function createActors(
  { servers, apiUrls, secrets, ...system }: System,
  { seed, perSecond, hasAdapters }: Pick<ChaosOptions, 'seed' | 'perSecond' | 'hasAdapters'>,
) {
  const url = servers.postgres;
  const onLostConnection = () => undefined;
  const database = createDatabase({ url, poolSize: POOL_SIZE, onLostConnection });
  const address = new URL(servers.temporal).host;
  const client = connectTemporal({ address, namespace: 'default' });
  /** Clock error of each API; undefined while the harness changes the clock. */
  const clocks = new Map<string, number | undefined>(APIS.map((name) => [name, 0]));
  // Load and schedule draw from separate sequences, so that neither depends on the draws of the
  // other.
  const random = createRandom(seed + 1);
  const readApis = () =>
    APIS.map((name) => ({ name, url: apiUrls[name], shiftMs: clocks.get(name) }));
  const driver = createApiDriver(readApis, random);
  const operator = createOperator({ database, client });
  const keyEncryptionKey = secrets.key_encryption_key;
  const endpoints = createEndpointOperator({
    ...{ database, client, keyEncryptionKey, partners: system.partners },
  });
  const [one, other] = system.partners.map((partner) =>
    createPartnerActor(partner, driver, hasAdapters),
  );
  if (one === undefined || other === undefined)
    throw new Error('the system must have two partners');
  const partners = [one, other] as const;
  const load = createLoad({ driver, operator, random, perSecond, partners, hasAdapters });
  return {
    ...{ database, client, clocks, driver, operator, endpoints, load, random, partners },
    forPeople: forPeopleWith({ hasAdapters }),
    slowCommits: createSlowCommits(),
    putBacks: [] as PutBack[],
    async close() {
      await Promise.all([client.connection.close(), database.close()]);
    },
  };
}

/**
 * The periods in which commits were slow: a change has the time of its statement, but is visible
 * only after its commit.
 */
function createSlowCommits() {
  const periods: Period[] = [];
  return {
    periods: periods as readonly Period[],
    async during<Result>(work: () => Promise<Result>): Promise<Result> {
      const fromMs = Date.now();
      try {
        return await work();
      } finally {
        periods.push({ fromMs, toMs: Date.now() });
      }
    },
  };
}
