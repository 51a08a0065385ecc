// What `payctl intents show` says that a payment waits for, in each status (architecture, section
// 3).
import { findIntentStory } from '../../../src/ops/intents/story';
import { anIntent, move } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { aPartner } from '../../support/payments/partner';
import { recordAttempt } from '../../support/webhooks/webhooks';
import { aDebitedIntent, eventOf, steps } from './story-rows';
import { withDatabase, withPartner } from '../../support/brackets';
import { beginAttempt } from '../../support/payments/payouts';
import { anAttention } from '../../support/payments/attention';

const AT = NOON.toISOString();
const DEADLINE = secondsAfter(NOON, 1_800).toISOString();

const bed = withDatabase();
const partner = withPartner(bed, { name: 'acme' });
beforeEach(() => bed.setNow(NOON));

const storyOf = ({ intentId }: { readonly intentId: string }) =>
  findIntentStory(bed.database, intentId);
const waitingFor = async (intent: { readonly intentId: string }) =>
  (await storyOf(intent)).waiting_for;

describe('a created payment', () => {
  // test/faults/live/unfinished-confirm.test.ts has what Temporal adds.
  it('waits for the payer until its deadline, or for a worker if a confirm came', async () => {
    const intent = await anIntent(bed, partner);
    expect(await waitingFor(intent)).toBe(
      `The payer, to confirm until ${DEADLINE}; or, if a confirm came, a worker, to carry it out. It may still be paid: the payer must not pay in another way.`,
    );
  });

  it('waits for a worker after the deadline, and asks whether one is running', async () => {
    const intent = await anIntent(bed, partner);
    const sentence = `A worker, to record the outcome: the deadline was ${DEADLINE}.`;
    await bed.setNow(secondsAfter(NOON, 1_890));
    expect(await waitingFor(intent)).toBe(sentence);
    await bed.setNow(secondsAfter(NOON, 1_891));
    expect(await storyOf(intent)).toMatchObject({
      status: 'created',
      waiting_for: `${sentence} Is a worker running?`,
    });
  });
});

describe('an authorized payment', () => {
  it('waits for its debit, then for its payout to be sent', async () => {
    const intent = await anIntent(bed, partner, { status: 'authorized' });
    expect(await waitingFor(intent)).toBe(
      `A worker, to debit the funds-holding account, since ${AT}.`,
    );
    await bed.setNow(secondsAfter(NOON, 1));
    await steps(bed, intent, 'debit');
    const debitedAt = secondsAfter(NOON, 1).toISOString();
    expect(await waitingFor(intent)).toBe(`A worker, to send the payout, since ${debitedAt}.`);
    await bed.setNow(secondsAfter(NOON, 92));
    expect(await waitingFor(intent)).toMatch(/ Is a worker running\?$/);
  });

  it("waits for the payout's answer, and says how often it was attempted", async () => {
    const intent = await aDebitedIntent(bed, partner);
    await steps(bed, intent, 'send');
    const sentence = `The provider, to answer the payout, sent at ${AT}`;
    expect(await waitingFor(intent)).toBe(`${sentence}.`);
    await steps(bed, intent, 'send');
    expect(await waitingFor(intent)).toBe(
      `The provider, to answer the payout, last sent at ${AT}, after 2 attempts since ${AT}.`,
    );
    await bed.setNow(secondsAfter(NOON, 6));
    await steps(bed, intent, 'send');
    const last = secondsAfter(NOON, 6).toISOString();
    expect(await waitingFor(intent)).toBe(
      `The provider, to answer the payout, last sent at ${last}, after 3 attempts since ${AT}.`,
    );
  });

  it('says that nothing was sent by an attempt that only queried', async () => {
    const intent = await aDebitedIntent(bed, partner);
    await beginAttempt(bed, intent.intentId);
    expect(await waitingFor(intent)).toBe(
      `The provider, to answer the payout, not sent, after one attempt since ${AT}.`,
    );
  });

  it('waits for operations if attention is raised, and says why', async () => {
    const intent = await aDebitedIntent(bed, partner);
    await steps(bed, intent, 'send');
    await bed.setNow(secondsAfter(NOON, 900));
    await bed.intents.setAttention(
      intent.intentId,
      anAttention('The outcome of the payout is unknown.'),
    );
    const since = secondsAfter(NOON, 900).toISOString();
    expect(await storyOf(intent)).toMatchObject({
      status: 'authorized',
      attention: [{ kind: 'payout_unknown', since: new Date(since), ended_at: null }],
      attention_since: new Date(since),
      waiting_for: `Operations, since ${since}, because: The outcome of the payout is unknown. The payout was sent at ${AT}.`,
      payout: { status: 'sent', decided_at: null },
    });
  });
});

describe('a settled payment', () => {
  it.each(['expired', 'cancelled'] as const)('that is %s waits for nothing', async (status) => {
    const story = await storyOf(await anIntent(bed, partner, { status }));
    expect(story).toMatchObject({
      status,
      waiting_for: 'Nothing.',
      transitions: [{ from: 'created', to: status, reason: null }],
      ledger_entries: [],
      webhooks: [],
    });
  });

  it.each(['captured', 'failed'] as const)(
    'that is %s waits for its webhook, and then for nothing',
    async (status) => {
      const intent = await anIntent(bed, partner, { status });
      expect(await waitingFor(intent)).toBe(
        `The partner's endpoint, to accept payment_intent.${status}: no attempt has ended yet, the next due at ${AT}.`,
      );
      const event = await eventOf(bed, intent);
      await recordAttempt(bed, event, { status: 204, result: 'delivered' });
      expect(await storyOf(intent)).toMatchObject({
        waiting_for: 'Nothing.',
        webhooks: [{ state: 'delivered', finished_at: NOON, next_attempt_at: null }],
      });
    },
  );

  it('that failed shows the release of its debit, and why it failed', async () => {
    const intent = await aDebitedIntent(bed, partner);
    await steps(bed, intent, 'send');
    await move(bed, intent.intentId, 'fail', { reason: 'payout_declined' });
    const story = await storyOf(intent);
    expect(story.transitions.at(-1)).toMatchObject({ to: 'failed', reason: 'payout_declined' });
    expect(story.payout).toMatchObject({ status: 'declined', decided_at: NOON });
    const moved = story.ledger_entries.map((one) => [one.account_id, one.amount_usd_cents]);
    expect(moved).toEqual([
      ['holding', -1_250],
      ['reserved', 1_250],
      ['reserved', -1_250],
      ['holding', 1_250],
    ]);
  });

  it('that is refunded shows who refunded it, and where the money came from', async () => {
    const intent = await anIntent(bed, partner, { status: 'captured' });
    await bed.setNow(secondsAfter(NOON, 60));
    await move(bed, intent.intentId, 'refund', { actor: 'maria', reason: 'goods came back' });
    const story = await storyOf(intent);
    expect(story).toMatchObject({ status: 'refunded' });
    expect(story).not.toHaveProperty('captured_at');
    expect(story.transitions.at(-1)).toMatchObject({ actor: 'maria', reason: 'goods came back' });
    expect(story.ledger_entries.slice(-2)).toMatchObject([
      { transfer_key: `${intent.intentId}:refund`, account_id: 'due:th_qrpay' },
      { account_id: 'holding', amount_usd_cents: 1_250 },
    ]);
    expect(story.waiting_for).toMatch(
      /^The partner's endpoint, to accept payment_intent\.captured: .*\. The partner's endpoint, to accept payment_intent\.refunded: .*\.$/,
    );
  });

  it('says that its partner did not get the webhook', async () => {
    const intent = await anIntent(bed, partner, { status: 'captured' });
    const event = await eventOf(bed, intent);
    await recordAttempt(bed, event, { status: 410, result: 'exhausted' });
    expect(await waitingFor(intent)).toBe(
      'Nothing. The partner did not accept payment_intent.captured: exhausted after one attempt.',
    );
  });

  it('waits for an endpoint that is disabled', async () => {
    const disabled = await aPartner(bed);
    const intent = await anIntent(bed, disabled, { status: 'captured' });
    await bed.database.query({
      text: `update webhook_endpoints set disabled_at = service_now(), disabled_reason = 'test'
              where partner_id = $1`,
      values: [disabled.partnerId],
    });
    expect(await storyOf(intent)).toMatchObject({
      waiting_for: `The partner's endpoint, which is disabled, to be enabled again for payment_intent.captured.`,
      webhooks: [{ state: 'pending', next_attempt_at: null }],
    });
  });

  it('waits for operations if the provider contradicts their resolution', async () => {
    const intent = await anIntent(bed, partner, { status: 'failed' });
    const reason = 'Resolved manually as declined, but the provider says paid.';
    await bed.intents.setAttention(
      intent.intentId,
      anAttention(reason, 'resolution_contradicted'),
      true,
    );
    expect(await waitingFor(intent)).toBe(`Operations, since ${AT}, because: ${reason}`);
  });
});
