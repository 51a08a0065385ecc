// Processes of another installation on our Temporal namespace (decision 128), with the real
// programs, a real Temporal server and two databases.
import { randomBytes, randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { bundleCheckout, writeCheckout } from '../../src/dev/package/checkout-bundle';
import { until } from '../../src/dev/until';
import { readOwner, recordEnvironment } from '../../src/postgres/service-environment';
import { ConfigError } from '../../src/domain/errors';
import { connectTemporal } from '../../src/temporal/connection';
import { hasGrpcCode } from '../../src/temporal/grpc-codes';
import { registerNamespace } from '../../src/temporal/namespace';
import { claimNamespace } from '../../src/temporal/namespace-claim';
import { RESTORE_WATCH_ID } from '../../workflows/messages/messages';
import { withDatabase, withFolder } from '../support/brackets';
import { anIntent, countOf, INSTALLATION, KEY_ENCRYPTION_KEY } from '../support/builders';
import { aPartner } from '../support/payments/partner';
import { startProgram, type OwnProgram } from '../support/programs/own-program';
import { runToEnd } from '../support/programs/run-to-end';
import { temporalAddress } from '../support/servers/temporal-address';

const WITHIN_A_MINUTE = { timeoutMs: 90_000 };
const WAIT = { timeoutMs: 40_000 };
/** A worker bundles its workflows first. */
const BUNDLED = { timeoutMs: 120_000 };
const NAMESPACE_TRIES = 60;
const FOREIGN =
  /^The Temporal namespace installation-\S+ belongs to another installation: [^\n]*\. Set [^\n]*\.\n$/;
const UNREADABLE =
  /^The Temporal namespace installation-\S+ belongs to another installation: its claim cannot be read with TEMPORAL_PAYLOAD_KEYS\. [^\n]*\n$/;

const PAYLOAD_KEY = randomBytes(32);
const ours = withDatabase({ isPerTest: true });
const others = withDatabase({ isPerTest: true });
const folder = withFolder();
const programs: OwnProgram[] = [];
let namespace: string;
let client: Client;

beforeAll(async () => {
  writeCheckout(folder, await bundleCheckout());
});
beforeEach(async () => {
  namespace = `installation-${randomUUID()}`;
  client = connectTemporal({ address: temporalAddress(), namespace });
  await registerNamespace(client, namespace, NAMESPACE_TRIES);
  await recordEnvironment(ours.database, 'sandbox');
  await recordEnvironment(others.database, 'sandbox');
});
afterEach(async () => {
  await Promise.all(programs.splice(0).map((program) => program.kill()));
  await client.connection.close();
});

const temporal = () => ({ TEMPORAL_ADDRESS: temporalAddress(), TEMPORAL_NAMESPACE: namespace });
const OTHER_KEY = { INSTALLATION_KEY: randomBytes(32).toString('base64') };

function start(name: string, { url }: typeof ours, more: Readonly<Record<string, string>> = {}) {
  const settings = { ...temporal(), DATABASE_URL: url, CHECKOUT_DIR: folder };
  const program = startProgram(name, { ...settings, ...more });
  programs.push(program);
  return program;
}

const payctl = ({ url }: typeof ours, ...args: readonly string[]) =>
  runToEnd('src/ops/payctl.ts', args, {
    ...temporal(),
    DATABASE_URL: url,
    KEY_ENCRYPTION_KEY: KEY_ENCRYPTION_KEY.toString('base64'),
  });

const isReady = ({ log }: OwnProgram) => log().includes('"msg":"ready"');

async function untilReady(program: OwnProgram): Promise<void> {
  await until(() => isReady(program) || program.isOver(), BUNDLED);
  expect(program.log()).toContain('"msg":"ready"');
}

/** Claims the namespace as a worker of that database does. */
async function claimFor({ database }: typeof ours, through = client): Promise<void> {
  const owner = await readOwner(database);
  const own = owner && { ...owner, installation: INSTALLATION.id };
  await claimNamespace(through, () => Promise.resolve(own));
}

const watch = () => client.workflow.getHandle(RESTORE_WATCH_ID);

/** How many of the watch's tasks a worker has taken. */
async function tasksTaken(): Promise<number> {
  const { events } = await watch().fetchHistory();
  return (events ?? []).filter((event) => event.workflowTaskStartedEventAttributes).length;
}

/** Whether the namespace is the others' now: our worker may have claimed it again first. */
async function takeAway(): Promise<boolean> {
  const workflowExecution = { workflowId: RESTORE_WATCH_ID };
  try {
    await client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution });
  } catch (error) {
    if (!hasGrpcCode(error, 'NOT_FOUND')) throw error;
  }
  return claimFor(others).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ConfigError) return false;
      throw error;
    },
  );
}

const stopsOf = (bed: typeof ours) => countOf(bed, 'select count(*) from payout_stops');

it.each(['api', 'worker'])(
  'a foreign %s is rejected at its start, takes no task and stops no payouts',
  async (name) => {
    await claimFor(ours);
    const foreign = start(name, others, OTHER_KEY);
    await expect(foreign.ended).resolves.toEqual({
      code: 2,
      stderr: expect.stringMatching(FOREIGN) as string,
    });
    expect(isReady(foreign)).toBe(false);
    expect([await tasksTaken(), await stopsOf(ours), await stopsOf(others)]).toEqual([0, 0, 0]);
  },
);

it.each(['api', 'worker'])(
  'a %s of our database with another payload key is rejected at its start',
  async (name) => {
    const payloadKeys = [{ id: 'ours', key: PAYLOAD_KEY }];
    const encrypting = connectTemporal({ address: temporalAddress(), namespace, payloadKeys });
    await claimFor(ours, encrypting);
    await encrypting.connection.close();
    const key = `other:${randomBytes(32).toString('base64')}`;
    const foreign = start(name, ours, { TEMPORAL_PAYLOAD_KEYS: key });
    await expect(foreign.ended).resolves.toEqual({
      code: 2,
      stderr: expect.stringMatching(UNREADABLE) as string,
    });
  },
);

it('payctl and prepare-temporal of another database are rejected, and those of ours are not', async () => {
  await claimFor(ours);
  const intents = await Promise.all(
    [ours, others].map(async (bed) => anIntent(bed, await aPartner(bed))),
  );
  const [own, foreign] = intents.map(({ intentId }) => intentId);
  const rejected = await payctl(others, 'intents', 'show', foreign ?? '');
  expect(rejected).toMatchObject({ code: 2, stdout: '' });
  expect(rejected.stderr).toMatch(/^payctl: The Temporal namespace .* another installation: /);
  expect(await payctl(ours, 'intents', 'show', own ?? '')).toMatchObject({ code: 0 });
  await expect(start('prepare-temporal', others).ended).resolves.toEqual({
    code: 2,
    stderr: expect.stringMatching(FOREIGN) as string,
  });
  await expect(start('prepare-temporal', ours).ended).resolves.toMatchObject({ code: 0 });
});

it('a running API and a running worker stop within a minute after the namespace became foreign', async () => {
  const running = [start('worker', ours), start('api', ours)];
  for (const program of running) await untilReady(program);
  expect(await until(takeAway, { ...WAIT, everyMs: 250 })).toBe(true);
  const logsOfRunning = () => running.filter((each) => !each.isOver()).map((each) => each.log());
  await until(() => logsOfRunning().length === 0, WITHIN_A_MINUTE);
  expect(logsOfRunning()).toEqual([]);
  const ended = await Promise.all(running.map((program) => program.ended));
  const rejected = { code: 2, stderr: expect.stringMatching(FOREIGN) as string };
  expect(ended).toEqual([rejected, rejected]);
  expect([await stopsOf(ours), await stopsOf(others)]).toEqual([0, 0]);
});
