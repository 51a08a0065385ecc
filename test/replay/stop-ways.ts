// Drives payments during a stop of all payouts (decision 127), to record their histories.
import { until } from '../../src/dev/until';
import { allowPayouts, createPayoutStops } from '../../src/postgres/payouts/stops';
import { RESTORE_WATCH_ID } from '../../workflows/messages/messages';
import { isWaitingForPayouts } from '../support/payments/stopped-payment';
import type { SandboxDriver } from './driver';
import { PLAIN, type Drive, type Driven } from './ways';

const AUTHORIZED = `status = 'authorized'`;
export const RECORDED = { actor: 'recorded', reason: 'recorded' };

export const STOP_WAYS: Readonly<Record<string, Drive>> = {
  'captured-after-a-stop': (driver) => whileStopped(driver, () => Promise.resolve()),
  'cancelled-while-stopped': (driver) => whileStopped(driver, (id) => cancelled(driver, id)),
  'resolved-while-stopped': async (driver) => ({
    ...(await whileStopped(driver, (id) => driver.resolvePayout(id, 'declined'))),
    // The workflow stays open for a day.
    isOpen: true,
  }),
  'payouts-stopped': payoutsStopped,
};

/**
 * Confirms while payouts are stopped, waits until the workflow waits, does the work, and allows
 * payouts again.
 */
async function whileStopped(
  { create, confirm, until, temporal, database }: SandboxDriver,
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

async function untilWaiting(temporal: SandboxDriver['temporal'], intentId: string): Promise<void> {
  if (
    !(await until(() => isWaitingForPayouts(temporal.workflow.getHandle(intentId)), {
      timeoutMs: 30_000,
    }))
  )
    throw new Error(`${intentId} never waited`);
}

/**
 * Repeats the cancel: the workflow waits for orders on their way for longer than the API waits for
 * an answer.
 */
async function cancelled({ partner }: SandboxDriver, intentId: string): Promise<void> {
  const isCancelled = () =>
    partner.cancelIntent(intentId).then(
      ({ status }) => status === 'cancelled',
      () => false,
    );
  if (!(await until(isCancelled, { timeoutMs: 60_000 }))) throw new Error('never cancelled');
}

/** Sets the tick count of Postgres back, as after a restore. Payouts are allowed again at once. */
async function payoutsStopped({ database }: SandboxDriver): Promise<Driven> {
  const isThere = async (text: string) => (await database.query({ text })).rows.length > 0;
  const untilSo = async (text: string) => {
    if (await until(() => isThere(text), { timeoutMs: 120_000 })) return;
    throw new Error(`no row for: ${text}`);
  };
  await untilSo('select from restore_watch where ticks >= 2');
  await database.query({ text: 'update restore_watch set ticks = ticks - 2' });
  await untilSo(`select from payout_stops where actor = 'system' and ended_at is null`);
  await allowPayouts(database, { ...RECORDED, isAfterRestore: true });
  return { workflowId: RESTORE_WATCH_ID, isOpen: true };
}
