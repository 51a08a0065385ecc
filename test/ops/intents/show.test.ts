// What `payctl intents show` prints to programs and to people, what it never prints (SECURITY.md),
// and how it exits.
import { createMemoryKeySets, startApp } from '../../support/app';
import { anIntent, aNonce, aTokenUse, sha256 } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { mintToken } from '../../support/payments/partner';
import { aThaiCode } from '../../support/payments/qr-codes';
import { recordAttempt } from '../../support/webhooks/webhooks';
import {
  expectRejected,
  jsonOf,
  rejection,
  runPayctl,
  textOf,
} from '../../support/programs/payctl';
import { eventOf, steps } from './story-rows';
import { withDatabase, withPartner } from '../../support/brackets';
import { findIntentStory } from '../../../src/ops/intents/story';
import { anAttention } from '../../support/payments/attention';

const AT = NOON.toISOString();
const SENT = { first_attempt_at: AT, last_sent_at: AT };
const AWAY = {
  ...{ status: null, failing_task: null, retrying: [], ui_url: null },
  ...{ unfinished_since: null, is_queue_polled: null },
};
const DEADLINE = secondsAfter(NOON, 1_800).toISOString();

const bed = withDatabase();
const partner = withPartner(bed, { name: 'acme' });
beforeEach(() => bed.setNow(NOON));

const show = (...args: readonly string[]) => runPayctl(bed, ['intents', 'show', ...args]);

const shown = async (intentId: string) => textOf(await show(intentId));

describe('the JSON of a story', () => {
  it('has the transitions, ledger entries, payout and webhook attempts', async () => {
    const intent = await anIntent(bed, partner, {
      idempotency: { key: 'order-1', bodyDigest: new Uint8Array(32) },
    });
    await steps(bed, intent, 'authorize', 'debit', 'send', 'capture');
    const event = await eventOf(bed, intent);
    await recordAttempt(bed, event, { status: 500 });
    const key = (step: string) => `${intent.intentId}:${step}`;
    const next = secondsAfter(NOON, 5).toISOString();
    expect(jsonOf(await show(intent.intentId, '--json'))).toEqual({
      attention: [],
      are_payouts_stopped: false,
      workflow: { ...AWAY, unknown: expect.stringContaining('Temporal gave no answer') as unknown },
      intent_id: intent.intentId,
      status: 'captured',
      amount_usd_cents: 1_250,
      corridor: 'th_qrpay',
      created_at: AT,
      captured_at: AT,
      partner_id: 'acme',
      expires_at: DEADLINE,
      idempotency_key: 'order-1',
      attention_since: null,
      pruned_at: null,
      waiting_for: `The partner's endpoint, to accept payment_intent.captured: one attempt so far, the next due at ${next}.`,
      transitions: [
        { at: AT, from: 'created', to: 'authorized', actor: 'test', reason: null },
        { at: AT, from: 'authorized', to: 'captured', actor: 'system', reason: null },
      ],
      ledger_entries: [
        entry(key('capture'), 'reserved', -1_250),
        entry(key('capture'), 'settlement:th_qrpay', 1_250),
        entry(key('debit'), 'holding', -1_250),
        entry(key('debit'), 'reserved', 1_250),
      ],
      payout: { status: 'paid', attempts: 1, ...SENT, accepted_at: null, decided_at: AT, ...SAID },
      webhooks: [
        {
          event_id: event,
          type: 'payment_intent.captured',
          state: 'pending',
          created_at: AT,
          finished_at: null,
          next_attempt_at: next,
          attempts: [{ attempt: 1, started_at: AT, duration_ms: 12, status: 500, error: null }],
        },
      ],
    });
  });

  it('has every member except captured_at even if nothing has happened', async () => {
    const { intentId } = await anIntent(bed, partner);
    const story = await findIntentStory(bed.database, intentId);
    expect(story).toMatchObject({
      status: 'created',
      idempotency_key: null,
      transitions: [],
      ledger_entries: [],
      payout: null,
      webhooks: [],
    });
    expect(story).not.toHaveProperty('captured_at');
  });
});

const SAID = {
  ...{
    reference: null,
    proposed_reference: null,
    proposed_by: null,
    local: null,
    failure_code: null,
  },
  ...{ account: 'main', bank_reference: null, cost: null },
};

function entry(transferKey: string, accountId: string, cents: number) {
  return { transfer_key: transferKey, account_id: accountId, amount_usd_cents: cents, at: AT };
}

describe('for people', () => {
  it('a story is sections of tables, with times in UTC and amounts in dollars', async () => {
    const intent = await anIntent(bed, partner);
    await steps(bed, intent, 'authorize', 'debit', 'send');
    await bed.setNow(secondsAfter(NOON, 6));
    await steps(bed, intent, 'send', 'capture');
    const event = await eventOf(bed, intent);
    await recordAttempt(bed, event, { error: 'timeout after 15 s' });
    await recordAttempt(bed, event, { status: 204, result: 'delivered' });
    const id = intent.intentId;
    expect(await shown(id)).toBe(
      `
intent           ${id}
status           captured
waits for        Nothing.
amount           12.50 USD to th_qrpay
partner          acme
idempotency key  -
created          2026-03-02T12:00:00.000Z
deadline         2026-03-02T12:30:00.000Z

Timeline
  at                        what
  2026-03-02T12:00:00.000Z  created
  2026-03-02T12:00:00.000Z  authorized by test
  2026-03-02T12:00:00.000Z  debit: 12.50 USD, holding to reserved
  2026-03-02T12:00:00.000Z  payout: first attempt
  2026-03-02T12:00:00.000Z  webhook captured, attempt 1: timeout after 15 s
  2026-03-02T12:00:00.000Z  webhook captured, attempt 2: 204 in 12 ms
  2026-03-02T12:00:06.000Z  captured by system
  2026-03-02T12:00:06.000Z  capture: 12.50 USD, reserved to
                            settlement:th_qrpay
  2026-03-02T12:00:06.000Z  payout: last sent
  2026-03-02T12:00:06.000Z  payout: paid

Payout
  key       ${id}:payout
  status    paid
  attempts  2
  account   main

Webhooks
  ${event}  captured, delivered at 2026-03-02T12:00:06Z
`.trimStart(),
    );
  });

  it('says in a sentence what has not happened', async () => {
    const text = await shown((await anIntent(bed, partner)).intentId);
    expect(text).toMatch(
      /\nTimeline\n.*\n.* created\n\nPayout\n {2}None was sent\.\n\nWebhooks\n {2}None\.\n$/,
    );
  });

  it('attention and its end are in the timeline', async () => {
    const intent = await anIntent(bed, partner, { status: 'failed' });
    await bed.intents.setAttention(
      intent.intentId,
      anAttention('paid after all', 'resolution_contradicted'),
      true,
    );
    expect(await shown(intent.intentId)).toMatch(
      / needs attention, resolution_contradicted: paid\n +after all\n/,
    );
    await runPayctl(bed, [
      ...['intents', 'acknowledge', intent.intentId, '--as', 'ann', '--reason', 'paid back'],
    ]);
    expect(await shown(intent.intentId)).toMatch(
      / resolution_contradicted ended by ann: paid back\n/,
    );
  });

  it('stored texts cannot send control characters to the terminal', async () => {
    const intent = await anIntent(bed, partner, { status: 'authorized' });
    await bed.intents.setAttention(
      intent.intentId,
      anAttention('one\u001b[2Jtwo\nthree\u202efour'),
    );
    const text = await shown(intent.intentId);
    expect(text.replaceAll(/\s+/g, ' ')).toContain('one [2Jtwo three four');
  });
});

it('prints no token, secret, signature, scanned code or user of a partner', async () => {
  const app = await startApp(bed, { keySets: createMemoryKeySets([partner]) });
  const idempotency = { key: 'order-2', bodyDigest: sha256('the body') };
  const intent = await anIntent(bed, partner, { idempotency, partnerUserId: 'user-of-acme' });
  const jti = aNonce();
  const token = mintToken(partner, intent, { jti });
  const use = { ...aTokenUse(partner, jti) };
  await bed.tokens.storePayload(intent.intentId, use, { qrPayload: aThaiCode() });
  const confirmed = await app.send({
    method: 'POST',
    path: `/v1/payment_intents/${intent.intentId}/confirm`,
    headers: { Authorization: `Bearer ${token}` },
  });
  expect(JSON.parse(confirmed.text)).toMatchObject({ status: 'captured' });
  const answerExcerpt = `echo ${String(partner.webhook_secret)}`;
  await recordAttempt(bed, await eventOf(bed, intent), { status: 500, answerExcerpt });
  const printed = (await shown(intent.intentId)) + (await show(intent.intentId, '--json')).stdout;
  const hidden = {
    token,
    jti,
    jtiHash: use.jtiHash,
    signingSecret: partner.signing_secret,
    webhookSecret: partner.webhook_secret,
    bodyDigest: idempotency.bodyDigest.toString('hex'),
    code: aThaiCode(),
    user: 'user-of-acme',
    subject: 'user-4711',
    excerpt: 'echo',
  };
  const leaked = Object.entries(hidden).filter(([, value]) => printed.includes(String(value)));
  expect(leaked).toEqual([]);
  expect(printed).toContain('order-2');
  await app.close();
});

describe('a rejection', () => {
  it('of an unknown id is one sentence, and exits 1', async () => {
    const ran = await show('pi_00000000000000000000000000', '--json');
    expect(ran).toEqual(rejection('There is no intent pi_00000000000000000000000000.'));
  });

  it('of a malformed id says what an id is', async () => {
    expectRejected(
      await show('pi_4711'),
      1,
      /^payctl: "pi_4711" is not an intent id\. Expected pi_ and 26 /,
    );
  });
});

it('says which event was skipped while the endpoint was disabled, and how to send it', async () => {
  const intent = await anIntent(bed, partner, { status: 'failed' });
  const event = await eventOf(bed, intent);
  await bed.database.query({
    text: `update webhook_events set state = 'skipped', due_at = null, check_at = null
            where event_id = $1`,
    values: [event],
  });
  const { waiting_for: waitingFor } = await findIntentStory(bed.database, intent.intentId);
  expect(waitingFor).toBe(
    `Nothing. payment_intent.failed was skipped, because the partner's endpoint was disabled: "payctl webhooks replay ${event}" sends it.`,
  );
});
