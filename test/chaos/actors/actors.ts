// Who takes part in a run: partners, payers and operations, and the connections with which the harness looks past all proxies.
import { createDatabase } from '../../../src/postgres/database';
import { connectTemporal } from '../../../src/temporal/connection';
import { createRandom } from '../../bench/load/random';
import type { ChaosWishes } from '../command-line';
import { createDesk } from './recorded-requests';
import { createEndpointDesk } from './endpoint-operator';
import type { Period } from '../report/evidence';
import { APIS } from '../faults/links';
import { createLoad } from './load';
import { createOperatorDesk } from './operator';
import { createPartnerDesk } from './partner';
import type { System } from '../system';

export type Cast = ReturnType<typeof createCast>;
const POOL_SIZE = 4;

export function createCast(
  { servers, apiUrls, secrets, ...system }: System,
  { seed, perSecond }: Pick<ChaosWishes, 'seed' | 'perSecond'>,
) {
  const url = servers.postgres;
  const onLostConnection = () => undefined;
  const database = createDatabase({ url, poolSize: POOL_SIZE, onLostConnection });
  const address = new URL(servers.temporal).host;
  const client = connectTemporal({ address, namespace: 'default' });
  /** How far off the APIs' clocks are; undefined while one is being changed. */
  const clocks = new Map<string, number | undefined>(APIS.map((name) => [name, 0]));
  // Another sequence than the schedule's, so that neither depends on how often the other draws.
  const random = createRandom(seed + 1);
  const readApis = () =>
    APIS.map((name) => ({ name, url: apiUrls[name], shiftMs: clocks.get(name) }));
  const desk = createDesk(readApis, random);
  const operator = createOperatorDesk({ database, client });
  const keyEncryptionKey = secrets.key_encryption_key;
  const endpoints = createEndpointDesk({
    ...{ database, client, keyEncryptionKey, partners: system.partners },
  });
  const [one, other] = system.partners.map((partner) => createPartnerDesk(partner, desk));
  if (one === undefined || other === undefined) throw new Error('two partners are onboarded');
  const partners = [one, other] as const;
  const load = createLoad({ desk, operator, random, perSecond, partners });
  return {
    ...{ database, client, clocks, desk, operator, endpoints, load, random, partners },
    slowCommits: createSlowCommits(),
    async close() {
      await Promise.all([client.connection.close(), database.close()]);
    },
  };
}

/** When commits took longer than a statement may: a change is dated by its statement and seen once it is committed. */
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
