// Who takes part in a run: partners, payers and operations, and the connections with which the harness looks past all proxies.
import type { Client } from '@temporalio/client';
import { createDatabase, type Database } from '../../src/postgres/database';
import { connectTemporal } from '../../src/temporal/connection';
import { createRandom, type Random } from '../bench/random';
import { createDesk, type Desk } from './desk';
import { createEndpointDesk, type EndpointDesk } from './endpoint-desk';

import { APIS } from './links';
import { createLoad, type Load } from './load';
import { createOperatorDesk, type OperatorDesk } from './operator-desk';
import { createPartnerDesk, type PartnerDesk } from './partner-desk';
import { createRecorder } from './record';
import { createSlowCommits, type SlowCommits } from './slow-commits';
import type { Clocks } from './strike';
import type { System } from './system';

export interface Cast {
  readonly database: Database;
  readonly client: Client;
  readonly clocks: Clocks;
  readonly slowCommits: SlowCommits;
  readonly desk: Desk;
  readonly operator: OperatorDesk;
  readonly endpoints: EndpointDesk;
  readonly load: Load;
  readonly random: Random;
  readonly partners: readonly PartnerDesk[];
  close(): Promise<void>;
}

interface CastOptions {
  readonly seed: number;
  readonly perSecond: number;
}

const POOL_SIZE = 4;

export function createCast(system: System, { seed, perSecond }: CastOptions): Cast {
  const { servers, apiUrls } = system;
  const database = createDatabase({
    url: servers.postgres,
    poolSize: POOL_SIZE,
    onLostConnection: () => undefined,
  });
  const address = new URL(servers.temporal).host;
  const client = connectTemporal({ address, namespace: 'default' });
  const clocks: Clocks = new Map(APIS.map((name) => [name, 0]));
  // Another sequence than the schedule's, so that neither depends on how often the other draws.
  const random = createRandom(seed + 1);
  const readApis = () =>
    APIS.map((name) => ({ name, url: apiUrls[name], shiftMs: clocks.get(name) }));
  const desk = createDesk(createRecorder(), readApis, random);
  const operator = createOperatorDesk({ database, client });
  const keyEncryptionKey = system.secrets.key_encryption_key;
  const endpoints = createEndpointDesk({
    ...{ database, client, keyEncryptionKey },
    partners: system.partners,
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
