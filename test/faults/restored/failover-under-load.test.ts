// A primary that is killed under load, and a standby that is promoted. With synchronous commits
// every answer that a partner got stays true, and every payment is paid once. The API and the
// worker know both servers by one connection string.
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { until } from '../../../src/dev/until';
import { listPayoutStops } from '../../../src/postgres/payouts/stops';
import { ensureRestoreWatch } from '../../../src/temporal/starts';
import { recogniseErrorsOfNode, times } from '../../support/builders';
import { newGuard } from '../../support/payments/restore-watch';
import { promote, startPair, type PostgresServer } from '../../support/servers/postgres-servers';
import { workflowsTickingEvery } from '../../support/programs/workflow-bundle';
import { said, truthOf } from '../live/payer';
import {
  ledgerViolations,
  openLiveSetup,
  repairerOf,
  statusOf,
  type LiveSetup,
} from '../live/setup';

recogniseErrorsOfNode();

const WAIT = { timeoutMs: 60_000 };
const PAYERS = 6;
const CAPTURED_ON_EACH = 30;
const CENTS = 1_250;

let primary: PostgresServer;
let standby: PostgresServer;
let live: LiveSetup;

beforeAll(async () => {
  const pair = await startPair();
  ({ primary, standby } = pair);
  await commitOnBoth();
  const guard = newGuard();
  live = await openLiveSetup({
    on: { url: urlOfBoth(), drop: () => pair.close() },
    look: (connection) => guard.check(connection),
    workflowBundle: workflowsTickingEvery(2),
  });
  await ensureRestoreWatch(live.world.client);
});
afterAll(() => live.close());

/** A commit is answered once the standby has written it too. */
async function commitOnBoth(): Promise<void> {
  await primary.query(`alter system set synchronous_standby_names = '*'`);
  await primary.query('select pg_reload_conf()');
  const isSynchronous = async () => {
    const text = `select from pg_stat_replication where sync_state = 'sync'`;
    return (await primary.query(text)).length === 1;
  };
  expect(await until(isSynchronous, WAIT)).toBe(true);
}

function urlOfBoth(): string {
  const { host } = new URL(standby.url);
  const both = primary.url.replace(/@([^/]+)/, `@$1,${host}`);
  return `${both}?target_session_attrs=read-write`;
}

/** A payment, and the answer to its confirm. */
interface Answered {
  readonly intent: PaymentIntent;
  readonly answer: string;
}

/** Pays one payment after the other. */
async function keepPaying(answered: Answered[], isOver: () => boolean): Promise<void> {
  const { payer } = live;
  while (!isOver()) {
    const intent = await payer.create().catch(() => undefined);
    if (intent !== undefined) answered.push({ intent, answer: said(await payer.confirm(intent)) });
  }
}

const capturedIn = (answered: readonly Answered[]) =>
  answered.filter(({ answer }) => answer === '200 captured').length;

it('keeps every answer true, pays each payment once, and goes on without an operator', async () => {
  const answered: Answered[] = [];
  let isOver = false;
  const paying = times(PAYERS, () => keepPaying(answered, () => isOver));
  const hasCaptured = (count: number) =>
    until(() => Promise.resolve(capturedIn(answered) >= count), WAIT);
  expect(await hasCaptured(CAPTURED_ON_EACH)).toBe(true);
  await primary.kill();
  const before = capturedIn(answered);
  await promote(standby);
  expect(await hasCaptured(before + CAPTURED_ON_EACH)).toBe(true);
  isOver = true;
  await paying;
  await settleAll(answered);
  for (const { intent, answer } of answered) {
    const truth = await truthOf(live.world, intent);
    const isPaid = truth.status === 'captured';
    expect(truth.executed).toEqual(isPaid ? [CENTS] : []);
    expect(answer === '200 captured' && !isPaid).toBe(false);
  }
  expect(await ledgerViolations(live.world)).toEqual([]);
  expect(await listPayoutStops(live.world.bed.database)).toEqual([]);
});

/** Repairs as workers do, until each payment that was confirmed has ended. */
async function settleAll(answered: readonly Answered[]): Promise<void> {
  const repairer = repairerOf(live.world);
  for (const { intent, answer } of answered) {
    const isSettled = async () => {
      await repairer.poll();
      const status = await statusOf(live.world, intent);
      return status === 'captured' || (status === 'created' && !answer.startsWith('200'));
    };
    expect(await until(isSettled, WAIT)).toBe(true);
  }
}
