// The claim of an installation to its Temporal namespace (decision 128), on a real Temporal server
// with two databases.
import { randomBytes, randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { Runtime } from '@temporalio/worker';
import { ConfigError, readWorkerConfig } from '../../src/config/config';
import { ofOneProvider } from '../../src/config/providers';
import { until } from '../../src/dev/until';
import { keepVerified } from '../../src/main/namespace';
import { connectWorker } from '../../src/main/worker/connect';
import { createCoreMetrics } from '../../src/main/worker/core-metrics';
import type { Queryable } from '../../src/postgres/database';
import { readOwner, recordEnvironment } from '../../src/postgres/service-environment';
import { connectTemporal } from '../../src/temporal/connection';
import { registerNamespace } from '../../src/temporal/namespace';
import {
  afterComparison,
  claimNamespace,
  verifyNamespace,
} from '../../src/temporal/namespace-claim';
import { startDelivery } from '../../src/temporal/starts';
import { RESTORE_WATCH_ID } from '../../workflows/messages/messages';
import { withDatabase } from '../support/brackets';
import { anEventId } from '../support/builders';
import { aPaymentStart } from '../support/payments/payment-start';
import { temporalAddress } from '../support/servers/temporal-address';
import { SILENT } from '../support/silent-log';

const NAMESPACE_TRIES = 60;
const SETUP_MS = 60_000;
const WAIT = { timeoutMs: 20_000 };
const KEYS = { payloadKeys: [{ id: 'ours', key: randomBytes(32) }] };
const OTHER_KEYS = { payloadKeys: [{ id: 'other', key: randomBytes(32) }] };
const FOREIGN = /^The Temporal namespace claim-\S+ belongs to another installation: .*\.$/;

const ours = withDatabase();
const others = withDatabase();
const clients: Client[] = [];
let namespace: string;
let client: Client;

function connect(settings: object = {}): Client {
  const connected = connectTemporal({ address: temporalAddress(), namespace, ...settings });
  clients.push(connected);
  return connected;
}

beforeAll(async () => {
  await recordEnvironment(ours.database, 'sandbox');
  await recordEnvironment(others.database, 'sandbox');
});
beforeEach(async () => {
  namespace = `claim-${randomUUID()}`;
  client = connect();
  await registerNamespace(client, namespace, NAMESPACE_TRIES);
}, SETUP_MS);
afterEach(() => Promise.all(clients.splice(0).map(({ connection }) => connection.close())));

type Changes = Readonly<Record<string, string>>;

/** What a process knows of its installation, with some members changed. */
const ownOf =
  ({ database }: typeof ours, changes: Changes = { installation: 'a key' }) =>
  async () => {
    const owner = await readOwner(database);
    return owner && { ...owner, ...changes };
  };

const watch = () => client.workflow.getHandle(RESTORE_WATCH_ID);

/** As an operator does who hands the namespace over. */
async function deleteWatch(): Promise<void> {
  const workflowExecution = { workflowId: RESTORE_WATCH_ID };
  await client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution });
  const isGone = () =>
    watch()
      .describe()
      .then(
        () => false,
        () => true,
      );
  await until(isGone, WAIT);
}

describe('a namespace', () => {
  it('that nobody has claimed may be used by everybody, and reads no database', async () => {
    const unread = () => Promise.reject(new Error('was read'));
    await expect(verifyNamespace(client, unread)).resolves.toBe(false);
  });

  it('that does not exist yet is nobody’s', async () => {
    const missing = connectTemporal({ address: temporalAddress(), namespace: randomUUID() });
    await expect(verifyNamespace(missing, ownOf(ours))).resolves.toBe(false);
    await missing.connection.close();
  });

  it('belongs to the first worker that claims it, which may claim it again', async () => {
    await claimNamespace(client, ownOf(ours));
    await claimNamespace(client, ownOf(ours));
    await expect(verifyNamespace(client, ownOf(ours))).resolves.toBe(true);
    await expect(claimNamespace(client, ownOf(others))).rejects.toThrow(FOREIGN);
    const { memo } = await watch().describe();
    expect(memo).toMatchObject((await readOwner(ours.database)) ?? {});
  });

  it('belongs to one of two that claim it at once', async () => {
    const claims = [claimNamespace(client, ownOf(ours)), claimNamespace(client, ownOf(others))];
    const settled = await Promise.allSettled(claims);
    expect(settled.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('is not free while its watch is ended, only once the watch is deleted', async () => {
    await claimNamespace(client, ownOf(ours));
    await watch().terminate('by an operator');
    await expect(claimNamespace(client, ownOf(others))).rejects.toThrow(FOREIGN);
    await claimNamespace(client, ownOf(ours));
    await expect(verifyNamespace(client, ownOf(ours))).resolves.toBe(true);
    await deleteWatch();
    await claimNamespace(client, ownOf(others));
    await expect(verifyNamespace(client, ownOf(ours))).rejects.toThrow(FOREIGN);
  });
});

describe('a process is rejected by a claim', () => {
  const rejectionOf = (changes?: Changes, of = ours) =>
    verifyNamespace(client, ownOf(of, changes)).catch((error: unknown) => error);

  beforeEach(() => claimNamespace(client, ownOf(ours)));

  it.each([
    ['environment', { environment: 'prod' }],
    ['installation', { installation: 'another key' }],
  ])('of another %s', async (_name, changes) => {
    const rejection = await rejectionOf(changes);
    expect(rejection).toBeInstanceOf(ConfigError);
    expect(String(rejection)).toMatch(/another installation: (environment|installation) .*, here /);
  });

  it('of another database, with the same key', async () => {
    const rejection = await rejectionOf(undefined, others);
    expect(rejection).toBeInstanceOf(ConfigError);
    expect(String(rejection)).toMatch(/another installation: database \S+, here \S+\. Set /);
  });

  it('if its database was never migrated', async () => {
    const rejection = await verifyNamespace(client, () => Promise.resolve(undefined)).catch(String);
    expect(rejection).toMatch(/another installation: database \S+, here null\. Set /);
  });

  it('if it has no key of the installation, unless its database is the claimed one', async () => {
    await expect(rejectionOf({})).resolves.toBe(true);
    await expect(rejectionOf({}, others)).resolves.toBeInstanceOf(ConfigError);
  });
});

it.each([
  ['with other keys', OTHER_KEYS],
  ['without keys', {}],
])('a claim that cannot be decrypted is another installation’s: %s', async (_which, settings) => {
  await claimNamespace(connect(KEYS), ownOf(ours));
  await expect(verifyNamespace(connect(KEYS), ownOf(ours))).resolves.toBe(true);
  const rejected = verifyNamespace(connect(settings), ownOf(ours));
  await expect(rejected).rejects.toThrow(ConfigError);
  await expect(rejected).rejects.toThrow(/its claim cannot be read with TEMPORAL_PAYLOAD_KEYS\. /);
});

it('a running process that becomes foreign stops at its next comparison', async () => {
  await claimNamespace(client, ownOf(ours));
  const never = new AbortController();
  let isTaken = false;
  const compare = async () => {
    await verifyNamespace(client, ownOf(ours));
    if (isTaken) return;
    isTaken = true;
    await deleteWatch();
    await claimNamespace(client, ownOf(others));
  };
  await expect(keepVerified(compare, SILENT, never.signal, 1)).rejects.toThrow(FOREIGN);
  expect(isTaken).toBe(true);
});

it('a process goes on while the claim cannot be read, and reads it again', async () => {
  const stop = new AbortController();
  const warned: string[] = [];
  const log = { ...SILENT, warn: (_about: object, text: string) => void warned.push(text) };
  let reads = 0;
  const compare = () => {
    reads += 1;
    if (reads === 1) return Promise.reject(new Error('Temporal is away'));
    stop.abort();
    return Promise.resolve();
  };
  await expect(keepVerified(compare, log, stop.signal)).resolves.toBeUndefined();
  expect(warned).toEqual([expect.stringMatching(/^whose Temporal namespace this is .*/)]);
});

it('a worker that starts without Postgres is not connected until it has compared', async () => {
  await claimNamespace(client, ownOf(ours));
  const config = readWorkerConfig({
    SERVICE_ENV: 'sandbox',
    DATABASE_URL: others.url,
    INSTALLATION_KEY: randomBytes(32).toString('base64'),
    KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    ...ofOneProvider('http://127.0.0.1:9', 'a credential of the provider'),
    TEMPORAL_ADDRESS: temporalAddress(),
    TEMPORAL_NAMESPACE: namespace,
  });
  let reads = 0;
  const awayAtFirst: Queryable = {
    query: (...given: Parameters<Queryable['query']>) => {
      reads += 1;
      if (reads === 1) return Promise.reject(new Error('Postgres is away'));
      return others.database.query(...given);
    },
  };
  const connected = connectWorker(config, awayAtFirst, SILENT, await createCoreMetrics());
  await expect(connected).rejects.toThrow(FOREIGN);
  await Runtime.instance().shutdown();
});

describe('a client that compares first', () => {
  const starting = (compare: () => Promise<unknown>) => {
    const compared = connectTemporal({ address: temporalAddress(), namespace }, undefined, [
      afterComparison(compare),
    ]);
    clients.push(compared);
    const event = { eventId: anEventId(), ...aPaymentStart() };
    return { start: () => startDelivery(compared, event), id: `webhook:${event.eventId}` };
  };

  it('starts nothing in a namespace of another installation', async () => {
    await claimNamespace(client, ownOf(ours));
    const { start, id } = starting(() => verifyNamespace(client, ownOf(others)));
    await expect(start()).rejects.toThrow(FOREIGN);
    await expect(client.workflow.getHandle(id).describe()).rejects.toThrow(/not found/);
  });

  it('starts nothing until a comparison has succeeded, and compares only until then', async () => {
    let comparisons = 0;
    const { start, id } = starting(() => {
      comparisons += 1;
      return comparisons === 1 ? Promise.reject(new Error('away')) : Promise.resolve();
    });
    await expect(start()).rejects.toThrow('away');
    await start();
    await start();
    expect(comparisons).toBe(2);
    await expect(client.workflow.getHandle(id).describe()).resolves.toBeDefined();
  });
});
