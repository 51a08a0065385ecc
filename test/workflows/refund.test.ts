// The refund of a captured payment (decision 16), with the real activities and Postgres: one ledger
// transfer and one webhook event, and the reply comes before the delivery.
import { randomBytes } from 'node:crypto';
import type { PaymentActivities } from '../../activities';
import { isRefundedBy } from '../../src/postgres/intents/refund-request';
import { createWebhookStore } from '../../src/postgres/webhooks/store';
import { createSecretSeal } from '../../src/signing/sealed-secret';
import { requestRefund } from '../../src/temporal/starts';
import { refundWorkflowId } from '../../workflows/messages/messages';
import { FUNDS_USD_CENTS, type WorldOptions } from '../support/payment-world';
import { shownInUi } from '../support/servers/temporal-ui';
import { withPayment, type StartedWorld } from './started-payment';

function refund({ environment, payment }: StartedWorld, requestId = 'mine') {
  const { intentId } = payment;
  const input = { intentId, requestId, actor: 'ann', reason: 'requested', intent: payment };
  return requestRefund(environment.client, input, AbortSignal.timeout(20_000));
}

const refundOf = ({ environment, payment }: StartedWorld) =>
  environment.client.workflow.getHandle(refundWorkflowId(payment.intentId));

/** A captured payment. Its partner has an endpoint by default, but no worker delivers to it. */
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

async function readEffects({ rows }: StartedWorld) {
  const [found] = await rows<{ readonly effects: object }>(
    `select json_build_object(
       'transfers', (select json_agg(split_part(transfer_key, ':', 2) order by transfer_key)
                       from ledger_transfers where intent_id is not null),
       'holding', (select balance_usd_cents from holding_balance),
       'due', (select coalesce(sum(amount_usd_cents), 0)
                  from ledger_entries where account_id = 'due:th_qrpay'),
       'audited', (select count(*) from intent_transitions where to_status = 'refunded'),
       'events', (select count(*) from webhook_events
                   where type = 'payment_intent.refunded')) as effects`,
  );
  return found?.effects;
}

const REFUNDED_ONCE = {
  transfers: ['capture', 'debit', 'refund'],
  holding: FUNDS_USD_CENTS,
  due: -1_250,
  audited: 1,
  events: 1,
};

const RUNNING = { status: { name: 'RUNNING' } };

describe('a captured payment', () => {
  it('is refunded in full, and the refund workflow stays open for the webhook', () =>
    withCaptured(async (world) => {
      const { database, payment } = world;
      await world.setClock(1_000);
      await expect(refund(world)).resolves.toEqual({ status: 'refunded' });
      await expect(isRefundedBy(database, payment.intentId, 'mine')).resolves.toBe(true);
      await expect(readEffects(world)).resolves.toMatchObject(REFUNDED_ONCE);
      await expect(refundOf(world).describe()).resolves.toMatchObject(RUNNING);
      await expect(shownInUi(refundOf(world))).resolves.toMatchObject({
        partnerId: payment.partnerId,
        corridor: 'th_qrpay',
        status: 'refunded',
        currentDetails: 'Refunded. Sending the webhook to the partner.',
      });
      await refundOf(world).cancel();
      // Temporal's own cancel has no effect.
      await expect(refundOf(world).describe()).resolves.toMatchObject(RUNNING);
    }));

  it('of a partner without an endpoint is refunded, and the refund workflow completes', () =>
    withCaptured(
      async (world) => {
        await refund(world);
        await expect(refundOf(world).result()).resolves.toBe('refunded');
        await expect(readEffects(world)).resolves.toMatchObject({ ...REFUNDED_ONCE, events: 0 });
      },
      { hasEndpoint: false },
    ));

  it.each([
    ['before the row is moved', lostWorker('before')],
    ['after the row is moved', lostWorker('after')],
  ])(
    'is refunded once, by the request that made it, when a worker is lost %s',
    (_, { wrap, ...fault }) =>
      withCaptured(
        async (world) => {
          fault.arm();
          await expect(refund(world)).resolves.toEqual({ status: 'refunded' });
          expect(fault.hasFailed()).toBe(true);
          const { intentId } = world.payment;
          await expect(isRefundedBy(world.database, intentId, 'mine')).resolves.toBe(true);
          await expect(readEffects(world)).resolves.toMatchObject(REFUNDED_ONCE);
        },
        { wrap },
      ),
  );

  it('has its event delivered by the refund workflow, and by the poller once that is late', () =>
    withCaptured(async (world) => {
      await refund(world);
      await expect(setClockAndCountPolled(world, 59_000)).resolves.toBe(0);
      await expect(setClockAndCountPolled(world, 61_000)).resolves.toBe(1);
    }));
});

/** Sets the clock ahead. Returns for how many endpoints the poller finds an event. */
async function setClockAndCountPolled({ database, setClock }: StartedWorld, aheadMs: number) {
  await setClock(aheadMs);
  const seal = createSecretSeal(randomBytes(32));
  return (await createWebhookStore(database, seal).readWaiting()).length;
}

/** Once armed, the next transition fails before or after its effect. */
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
