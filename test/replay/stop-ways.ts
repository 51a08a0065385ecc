// What a stop of all payouts leads to (decision 127), each driven for its history.
import { until } from '../../src/dev/until';
import { allowPayouts, createPayoutStops } from '../../src/postgres/payouts/stops';
import { RESTORE_WATCH_ID } from '../../workflows/messages/messages';
import { isHeldUp } from '../support/payments/held-payment';
import type { Stage } from './stage';
import { PLAIN, type Drive, type Driven } from './ways';

const AUTHORIZED = `status = 'authorized'`;
export const RECORDED = { actor: 'recorded', reason: 'recorded' };

export const STOP_WAYS: Readonly<Record<string, Drive>> = {
  'captured-after-a-stop': (stage) => whileStopped(stage, () => Promise.resolve()),
  'cancelled-while-stopped': (stage) => whileStopped(stage, (id) => cancelled(stage, id)),
  'declared-while-stopped': async (stage) => ({
    ...(await whileStopped(stage, (id) => stage.declare(id, 'declined'))),
    // For a day.
    isOpen: true,
  }),
  'payouts-stopped': payoutsStopped,
};

/** Confirmed while payouts are stopped; they are allowed again once the run waits for that, and the work is done. */
async function whileStopped(
  { create, confirm, until, temporal, database }: Stage,
  work: (intentId: string) => Promise<unknown>,
): Promise<Driven> {
  await createPayoutStops(database).stop({ ...RECORDED, kind: 'operator' });
  const intent = await create(PLAIN);
  const { intentId } = intent;
  await confirm(intent, { isAwaited: false });
  await until(intentId, AUTHORIZED);
  await untilWaiting(temporal, intentId);
  await work(intentId);
  await allowPayouts(database, { ...RECORDED, isAfterRestore: true });
  return { workflowId: intentId };
}

async function untilWaiting(temporal: Stage['temporal'], intentId: string): Promise<void> {
  if (!(await until(() => isHeldUp(temporal.workflow.getHandle(intentId)), { timeoutMs: 30_000 })))
    throw new Error(`${intentId} never waited`);
}

/** What may have been on its way when payouts were stopped is waited for, for longer than the API waits for an answer. */
async function cancelled({ partner }: Stage, intentId: string): Promise<void> {
  const isCancelled = () =>
    partner.cancelIntent(intentId).then(
      ({ status }) => status === 'cancelled',
      () => false,
    );
  if (!(await until(isCancelled, { timeoutMs: 60_000 }))) throw new Error('never cancelled');
}

/** Postgres counts behind Temporal, as after a restore. Payouts are allowed again at once. */
async function payoutsStopped({ database }: Stage): Promise<Driven> {
  const isThere = async (text: string) => (await database.query({ text })).rows.length > 0;
  const untilSo = async (text: string) => {
    if (await until(() => isThere(text), { timeoutMs: 120_000 })) return;
    throw new Error(`never: ${text}`);
  };
  await untilSo('select from restore_watch where ticks >= 2');
  await database.query({ text: 'update restore_watch set ticks = ticks - 2' });
  await untilSo(`select from payout_stops where actor = 'system' and ended_at is null`);
  await allowPayouts(database, { ...RECORDED, isAfterRestore: true });
  return { workflowId: RESTORE_WATCH_ID, isOpen: true };
}
