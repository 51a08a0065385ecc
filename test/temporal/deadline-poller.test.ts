// The deadline poller expires payments soon after their deadline, many in one statement, if
// Temporal shows that their workflow has slept since its start, or that there is none (decision
// 132). Every other payment is left to its workflow.
import type { Client } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time';
import { createLostCommits } from '../../src/postgres/payouts/lost-commits';
import { createPaymentClaims } from '../../src/postgres/intents/claims';
import { createPayoutStops } from '../../src/postgres/payouts/stops';
import { createDeadlinePoller } from '../../src/temporal/deadline-poller';
import { inPaymentWorld, type PaymentWorld, type WorldOptions } from '../support/payment-world';
import { SILENT } from '../support/silent-log';
import { OPEN_SENTENCES } from '../support/payments/attention';

const LIFE_MS = 1_800_000;
/** A third of the life of a payment. */
const ADOPTED_WITHIN_MS = LIFE_MS / 3;

function pollerOf({ environment, database, intents }: PaymentWorld, client?: Client) {
  return createDeadlinePoller({
    client: client ?? environment.client,
    rows: createLostCommits(database),
    payments: createPaymentClaims(database),
    intents,
    clock: { now: () => new Date() },
    log: SILENT,
  });
}

/** A payment whose workflow was started in time. */
async function started(world: PaymentWorld) {
  const payment = await world.create();
  const workflow = await world.start(payment);
  await createPaymentClaims(world.database).markStarted([payment.intentId]);
  return { payment, workflow };
}

/** Runs the work with one such payment. */
function withStarted(
  work: (world: PaymentWorld & Awaited<ReturnType<typeof started>>) => Promise<void>,
  options: WorldOptions = {},
): Promise<void> {
  return inPaymentWorld(options, async (world) => work({ ...world, ...(await started(world)) }));
}

async function pollAt(world: PaymentWorld, aheadMs: number, client?: Client): Promise<number> {
  await world.setClock(aheadMs);
  return pollerOf(world, client).poll();
}

const workflowOf = ({ environment }: PaymentWorld, intentId: string) =>
  environment.client.workflow.getHandle(intentId);
const rowsOf = ({ rows }: PaymentWorld) => rows('select status from payment_intents');
const CREATED = [{ status: 'created' }];

describe('the deadline poller', () => {
  it('expires a payment that was not confirmed, and its workflow adopts that within ten minutes', () =>
    withStarted(async ({ payment, workflow, ...world }) => {
      await expect(pollAt(world, LIFE_MS)).resolves.toBe(1);
      await expect(rowsOf(world)).resolves.toEqual([{ status: 'expired' }]);
      // The workflow is still asleep.
      expect((await workflow.describe()).historyLength).toBe(1);
      await expect(workflow.result()).resolves.toBe('expired');
      const { closeTime } = await workflow.describe();
      const adoptedAfterMs = (closeTime?.getTime() ?? Infinity) - payment.expiresAtMs;
      expect(adoptedAfterMs).toBeLessThan(ADOPTED_WITHIN_MS + 10_000);
      await expect(world.rows('select to_status, actor from intent_transitions')).resolves.toEqual([
        { to_status: 'expired', actor: 'system' },
      ]);
    }));

  it('leaves workflows asleep that wake at different times: none within a minute of the deadline, none later than ten', () =>
    inPaymentWorld(async (world) => {
      const wakes: number[] = [];
      for (let made = 0; made < 20; made += 1) {
        const { payment, workflow } = await started(world);
        const { events } = await workflow.fetchHistory();
        const [start] = events ?? [];
        const { firstWorkflowTaskBackoff } = start?.workflowExecutionStartedEventAttributes ?? {};
        const wakesAtMs = tsToMs(start?.eventTime) + tsToMs(firstWorkflowTaskBackoff);
        wakes.push(wakesAtMs - payment.expiresAtMs);
      }
      expect(Math.min(...wakes)).toBeGreaterThan(LIFE_MS / 30 - 5_000);
      // The server starts the workflow some moments after the delay was computed.
      expect(Math.max(...wakes)).toBeLessThan(ADOPTED_WITHIN_MS + 10_000);
      expect(new Set(wakes).size).toBeGreaterThan(10);
    }));

  it('claims nothing before the deadline', () =>
    withStarted(async (world) => {
      await expect(pollAt(world, LIFE_MS - 10_000)).resolves.toBe(0);
      await expect(rowsOf(world)).resolves.toEqual(CREATED);
    }));

  it('expires no payment whose workflow has completed: Postgres has lost what that did', () =>
    withStarted(async ({ payment, workflow, ...world }) => {
      await world.confirm(payment);
      await expect(workflow.result()).resolves.toBe('captured');
      await forgetConfirm(world);
      await pollAt(world, LIFE_MS + 60_000);
      const reason = expect.stringContaining('has completed') as unknown;
      await expect(
        world.rows(`select status, ${OPEN_SENTENCES} as reason from payment_intents i`),
      ).resolves.toEqual([{ status: 'created', reason }]);
    }));

  it('expires no payment whose open workflow has confirmed it: Postgres has lost that', () =>
    withStarted(
      async ({ payment, ...world }) => {
        const confirmed = await world.confirmAndWait(payment, '20 minutes');
        expect(confirmed).toEqual({ status: 'authorized' });
        await forgetConfirm(world);
        await pollAt(world, LIFE_MS);
        await expect(rowsOf(world)).resolves.toEqual(CREATED);
      },
      { provider: ['unknown'] },
    ));

  it('leaves a payment to its workflow after a rejected confirm has woken the workflow', () =>
    withStarted(async ({ payment, workflow, ...world }) => {
      await world.confirm({ ...payment, expiresAtMs: 0 });
      await pollAt(world, LIFE_MS);
      await expect(rowsOf(world)).resolves.toEqual(CREATED);
      await expect(workflow.result()).resolves.toBe('expired');
    }));

  it('expires a payment whose workflow was never started, and starts none', () =>
    inPaymentWorld(async (world) => {
      const { intentId } = await world.create();
      await expect(pollAt(world, LIFE_MS)).resolves.toBe(1);
      await expect(rowsOf(world)).resolves.toEqual([{ status: 'expired' }]);
      await expect(workflowOf(world, intentId).describe()).rejects.toThrow(/not found/i);
    }));

  // No reminder is due 290 s after the deadline.
  it('starts a workflow for a payment that has none if its provider must be queried, and wakes it minutes later', () =>
    inPaymentWorld({ provider: ['not_found'] }, async (world) => {
      const { intentId } = await world.create();
      await world.rows(
        `update payment_intents
            set must_query_provider = true, created_at = created_at - interval '2090 s',
                expires_at = created_at - interval '290 s', check_at = created_at`,
      );
      await pollAt(world, 0);
      await expect(rowsOf(world)).resolves.toEqual(CREATED);
      const workflow = workflowOf(world, intentId);
      const { startTime } = await workflow.describe();
      await expect(workflow.result()).resolves.toBe('expired');
      const { closeTime } = await workflow.describe();
      const wokenAfterMs = (closeTime?.getTime() ?? 0) - startTime.getTime();
      expect(wokenAfterMs).toBeGreaterThan(LIFE_MS / 30);
    }));

  it('starts no workflow for a payment that has none during a stop for a restore', () =>
    inPaymentWorld(async (world) => {
      const { intentId } = await world.create();
      const stop = { actor: 'ann', reason: 'restored', kind: 'restore' } as const;
      await createPayoutStops(world.database).stop(stop);
      for (const lateMs of [0, 30_000, 60_000]) await pollAt(world, LIFE_MS + lateMs);
      await expect(rowsOf(world)).resolves.toEqual(CREATED);
      await expect(workflowOf(world, intentId).describe()).rejects.toThrow(/not found/i);
    }));

  it('replaces a terminated workflow, and the next one expires the payment', () =>
    withStarted(async ({ payment, workflow, ...world }) => {
      await workflow.terminate('an operator');
      await pollAt(world, LIFE_MS);
      await expect(rowsOf(world)).resolves.toEqual(CREATED);
      await expect(workflowOf(world, payment.intentId).result()).resolves.toBe('expired');
    }));

  it('expires nothing while Temporal does not answer, and makes no further calls to it', () =>
    inPaymentWorld(async (world) => {
      for (let made = 0; made < 10; made += 1) await started(world);
      const statuses = () => world.rows('select distinct status from payment_intents');
      const away = temporalAway(world);
      await expect(pollAt(world, LIFE_MS, away.client)).rejects.toThrow('away');
      expect(away.calls()).toBeLessThanOrEqual(4);
      await expect(statuses()).resolves.toEqual(CREATED);
      // The worker that claims them when the lease has expired expires them.
      await expect(pollAt(world, LIFE_MS + 30_000)).resolves.toBe(10);
      await expect(statuses()).resolves.toEqual([{ status: 'expired' }]);
    }));

  it('calls Temporal about a payment under a stop for a restore only as often as it reminds', () =>
    withStarted(async (world) => {
      const stop = { actor: 'ann', reason: 'restored', kind: 'restore' } as const;
      await createPayoutStops(world.database).stop(stop);
      const away = temporalAway(world);
      await expect(pollAt(world, LIFE_MS, away.client)).resolves.toBe(1);
      expect(away.calls()).toBe(0);
      await expect(rowsOf(world)).resolves.toEqual(CREATED);
      await expect(pollAt(world, LIFE_MS + 30_000, away.client)).rejects.toThrow('away');
      expect(away.calls()).toBe(1);
    }));

  it('makes no call after a stop, and ends', () =>
    withStarted(async (world) => {
      await world.setClock(LIFE_MS);
      const away = temporalAway(world);
      await pollerOf(world, away.client).poll(AbortSignal.abort());
      await pollerOf(world, away.client).run(AbortSignal.abort());
      expect(away.calls()).toBe(0);
      await expect(rowsOf(world)).resolves.toEqual(CREATED);
    }));
});

/** A client with which every description of a workflow fails. */
function temporalAway({ environment }: PaymentWorld) {
  let calls = 0;
  const describe = () => {
    calls += 1;
    return Promise.reject(new Error('away'));
  };
  const client = Object.create(environment.client, {
    workflow: { value: { getHandle: () => ({ describe }) } },
  }) as Client;
  return { client, calls: () => calls };
}

/** Puts the rows into the state of a Postgres that has lost its latest commits. */
async function forgetConfirm({ rows }: Pick<PaymentWorld, 'rows'>) {
  await rows('alter table payment_intents disable trigger payment_intents_status_is_audited');
  await rows(
    `update payment_intents set status = 'created', captured_at = null, check_at = expires_at`,
  );
  await rows('delete from intent_transitions');
  await rows('update attention set ended_at = since, ended_by = $1 where ended_at is null', 'test');
}
