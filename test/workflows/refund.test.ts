// The refund of a captured payment (decision 16), with the real activities and Postgres: once, by whoever was first, told
// by one webhook event, and in force before that is delivered.
import { randomBytes } from 'node:crypto';
import type { PaymentActivities } from '../../activities';
import { isRefundedBy } from '../../src/postgres/intents/refund-request';
import { createWebhookStore } from '../../src/postgres/webhooks/store';
import { createSecretSeal } from '../../src/signing/sealed-secret';
import { requestRefund } from '../../src/temporal/refund-start';
import { refundWorkflowId } from '../../workflows/messages/messages';
import { FUNDS_USD_CENTS, type WorldOptions } from '../support/payment-world';
import { shownInUi } from '../support/servers/temporal-ui';
import { withPayment, type StartedWorld } from './started-payment';

function refund({ environment, payment }: StartedWorld, requestId = 'mine') {
  const { intentId } = payment;
  const input = { intentId, requestId, actor: 'ann', reason: 'asked for', intent: payment };
  return requestRefund(environment.client, input, AbortSignal.timeout(20_000));
}

const runOf = ({ environment, payment }: StartedWorld) =>
  environment.client.workflow.getHandle(refundWorkflowId(payment.intentId));

/** A captured payment of a partner with an endpoint, unless told; no worker delivers to it here. */
function withCaptured(
  work: (world: StartedWorld) => Promise<void>,
  { hasEndpoint = true, ...options }: WorldOptions & { readonly hasEndpoint?: boolean } = {},
) {
  return withPayment(options, async (world) => {
    if (hasEndpoint) {
      await world.rows(
        `insert into webhook_endpoints (partner_id, url, secret_sealed, event_types)
         values ('world', 'http://127.0.0.1:9/', '', '{payment_intent.refunded}')`,
      );
    }
    await expect(world.confirm()).resolves.toEqual({ status: 'captured' });
    await work(world);
  });
}

async function movedIn({ rows }: StartedWorld) {
  const [found] = await rows<{ readonly moved: object }>(
    `select json_build_object(
       'transfers', (select json_agg(split_part(transfer_key, ':', 2) order by transfer_key)
                       from ledger_transfers where intent_id is not null),
       'holding', (select balance_usd_cents from holding_balance),
       'pending', (select coalesce(sum(amount_usd_cents), 0) from ledger_entries where account_id = 'owed:th_qrpay'),
       'told', (select count(*) from intent_transitions where to_status = 'refunded'),
       'events', (select count(*) from webhook_events where type = 'payment_intent.refunded')) as moved`,
  );
  return found?.moved;
}

const REFUNDED_ONCE = {
  transfers: ['capture', 'debit', 'refund'],
  holding: FUNDS_USD_CENTS,
  owed: -1_250,
  told: 1,
  events: 1,
};

const RUNNING = { status: { name: 'RUNNING' } };

describe('a captured payment', () => {
  it('is given back in full, and its run stays open for the webhook', () =>
    withCaptured(async (world) => {
      const { database, payment } = world;
      await world.setClock(1_000);
      await expect(refund(world)).resolves.toEqual({ status: 'refunded' });
      await expect(isRefundedBy(database, payment.intentId, 'mine')).resolves.toBe(true);
      await expect(movedIn(world)).resolves.toMatchObject(REFUNDED_ONCE);
      await expect(runOf(world).describe()).resolves.toMatchObject(RUNNING);
      await expect(shownInUi(runOf(world))).resolves.toMatchObject({
        partnerId: payment.partnerId,
        corridor: 'th_qrpay',
        status: 'refunded',
        currentDetails: 'Refunded. Sending the webhook to the partner.',
      });
      await runOf(world).cancel();
      // A native cancel changes nothing.
      await expect(runOf(world).describe()).resolves.toMatchObject(RUNNING);
    }));

  it('of a partner without an endpoint is given back, and the run ends', () =>
    withCaptured(
      async (world) => {
        await refund(world);
        await expect(runOf(world).result()).resolves.toBe('refunded');
        await expect(movedIn(world)).resolves.toMatchObject({ ...REFUNDED_ONCE, events: 0 });
      },
      { hasEndpoint: false },
    ));

  it.each([
    ['before the row is moved', lostWorker('before')],
    ['after the row is moved', lostWorker('after')],
  ])('is given back once, to whom it belongs, when a worker is lost %s', (_, { wrap, ...fault }) =>
    withCaptured(
      async (world) => {
        fault.arm();
        await expect(refund(world)).resolves.toEqual({ status: 'refunded' });
        expect(fault.hasFailed()).toBe(true);
        const { intentId } = world.payment;
        await expect(isRefundedBy(world.database, intentId, 'mine')).resolves.toBe(true);
        await expect(movedIn(world)).resolves.toMatchObject(REFUNDED_ONCE);
      },
      { wrap },
    ),
  );

  it("leaves its event to the refund's workflow, and to the poller once that is late", () =>
    withCaptured(async (world) => {
      await refund(world);
      await expect(endpointsPolled(world, 59_000)).resolves.toBe(0);
      await expect(endpointsPolled(world, 61_000)).resolves.toBe(1);
    }));
});

/** For how many endpoints the poller has something when the world's clock is set ahead. */
async function endpointsPolled({ database, setClock }: StartedWorld, aheadMs: number) {
  await setClock(aheadMs);
  const seal = createSecretSeal(randomBytes(32));
  return (await createWebhookStore(database, seal).readWaiting()).length;
}

/** Once armed, the next transition fails, before or after it has had its effect. */
function lostWorker(when: 'before' | 'after') {
  let isArmed = false;
  let hasFailed = false;
  return {
    arm: () => {
      isArmed = true;
    },
    hasFailed: () => hasFailed,
    wrap: (activities: PaymentActivities): PaymentActivities => ({
      ...activities,
      async recordTransition(command) {
        if (!isArmed) return activities.recordTransition(command);
        isArmed = false;
        hasFailed = true;
        if (when === 'after') await activities.recordTransition(command);
        throw new Error(`the worker is lost ${when} the transition`);
      },
    }),
  };
}
