// Attempts at a payout by the regular activity: which of them begins, and which one may send
// without a query.
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { allowPayouts } from '../../../src/postgres/payouts/stops';
import { recorded } from '../../support/payments/answers';
import { aDebitedIntent, anIntent, move } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { beginAttempt, recordSent } from '../../support/payments/payouts';
import { withDatabase, withPartner } from '../../support/brackets';
import { NOT_ORDERED } from '../../support/payments/accounts';

const bed = withDatabase();
const partner = withPartner(bed);
beforeEach(() => bed.setNow(NOON));

const debited = () => aDebitedIntent(bed, partner);
const begin = ({ intentId }: PaymentIntent) => beginAttempt(bed, intentId);
const send = ({ intentId }: PaymentIntent) => recordSent(bed, intentId);
const watch = (change: string) =>
  bed.database.query({ text: `update restore_watch set ${change}` });
const PAYER = expect.stringMatching(/^partner-\d+:user-4711$/) as string;
const RECORD = {
  ...{ requests: 0, refusals: 0, refusedAs: null, isAccepted: false, declinedMs: null },
  ...{ requestedMs: null, mayBeForgotten: false, isQuiet: true },
};
const ATTEMPT = {
  ...{ kind: 'begun', payer: PAYER, qrPayload: null, token: null, order: NOT_ORDERED },
  record: RECORD,
};

describe('an attempt', () => {
  it('is counted, with the time since the first', async () => {
    const intent = await debited();
    const first = { ...ATTEMPT, number: 1, isFirst: true, sinceFirstMs: 0 };
    await expect(begin(intent)).resolves.toEqual(first);
    await bed.setNow(secondsAfter(NOON, 900));
    const second = { ...ATTEMPT, number: 2, isFirst: false, sinceFirstMs: 900_000 };
    await expect(begin(intent)).resolves.toEqual(second);
  });

  it('reports the requests, their refusals, and when the provider first declined', async () => {
    const intent = await debited();
    const { intentId } = intent;
    await send(intent);
    await bed.payoutJournal.recordRefusal(intentId, 'provider_down');
    await bed.setNow(secondsAfter(NOON, 1));
    await bed.payoutJournal.recordAnswer(intentId, 1, recorded('declined'));
    await bed.setNow(secondsAfter(NOON, 6));
    const refused = { requests: 1, refusals: 1, refusedAs: 'provider_down' };
    const times = { requestedMs: 6_000, declinedMs: 5_000 };
    await expect(begin(intent)).resolves.toMatchObject({ record: { ...refused, ...times } });
    await bed.payoutJournal.recordRefusal(intentId, 'compliance');
    await bed.payoutJournal.recordRefusal(intentId, 'provider_down');
    await expect(begin(intent)).resolves.toMatchObject({ record: { refusedAs: 'compliance' } });
  });

  it.each([
    [2, true],
    [2.001, false],
  ])('that begins %d s after the debit is the first for certain: %s', async (seconds, isFirst) => {
    const intent = await debited();
    await bed.setNow(secondsAfter(NOON, seconds));
    await expect(begin(intent)).resolves.toMatchObject({ number: 1, isFirst });
  });

  it.each([
    ['the restore watch is silent', `ticked_at = '2026-03-02T11:59:15Z'`],
    ['the timeline is another than that of the last tick', `timeline = '0000000A'`],
    ['Postgres has failed over since the create', 'timeline_changed_at = service_now()'],
  ])('is not the first for certain if %s', async (_what, change) => {
    const intent = await debited();
    await watch(change);
    await expect(begin(intent)).resolves.toMatchObject({
      ...{ number: 1, isFirst: false, record: { mayBeForgotten: true } },
    });
    await watch(`timeline = log_timeline(), timeline_changed_at = null, ticked_at = '2100-01-01'`);
  });

  it('after a first sending is no first attempt, a moment after the debit', async () => {
    const intent = await debited();
    await send(intent);
    await expect(begin(intent)).resolves.toMatchObject({ number: 2, isFirst: false });
  });

  it('that may not begin is delayed, and writes nothing', async () => {
    const intent = await debited();
    await expect(beginAttempt(bed, intent.intentId, false)).resolves.toEqual({ kind: 'delayed' });
    await expect(begin(intent)).resolves.toMatchObject({ kind: 'begun', number: 1 });
  });

  it('that has begun before is never delayed', async () => {
    const intent = await debited();
    await begin(intent);
    const again = beginAttempt(bed, intent.intentId, false);
    await expect(again).resolves.toMatchObject({ kind: 'begun', number: 2 });
  });

  it('that may not begin is stopped during a stop, and not payable after a cancel', async () => {
    const [stopped, cancelled] = [await debited(), await debited()];
    await move(bed, cancelled.intentId, 'cancel', { from: 'authorized', actor: 'partner' });
    const ended = beginAttempt(bed, cancelled.intentId, false);
    await expect(ended).resolves.toMatchObject({ kind: 'not_payable' });
    const stop = { actor: 'ann', reason: 'a test', kind: 'operator' } as const;
    await bed.payoutStops.stop(stop);
    const attempt = beginAttempt(bed, stopped.intentId, false);
    await expect(attempt).resolves.toMatchObject({ kind: 'stopped' });
    const lift = { actor: 'ann', reason: 'it is over', isAfterRestore: false };
    await allowPayouts(bed.database, lift);
  });

  it('names the payer among those of all partners', async () => {
    const [one, same, other] = [await debited(), await debited(), await debited()];
    await bed.database.query({
      text: `update payment_intents set partner_user_id = 'user-4712' where intent_id = $1`,
      values: [other.intentId],
    });
    const payers = await Promise.all([one, same, other].map(send));
    const [first, second, third] = payers.map((sending) => sending?.payer);
    expect([second, third]).toEqual([first, first?.replace('4711', '4712')]);
  });

  const failed = ({ intentId }: PaymentIntent) =>
    bed.intents.transition({ intentId, from: 'authorized', event: 'fail', actor: 'system' });
  const unproven = { outcome: 'not_queried', status: 'authorized' };

  it('removes the answer to the attempt before', async () => {
    const intent = await debited();
    await begin(intent);
    await bed.payoutJournal.recordAnswer(intent.intentId, 1, recorded('unpaid'));
    await begin(intent);
    await expect(failed(intent)).resolves.toMatchObject(unproven);
    await bed.payoutJournal.recordAnswer(intent.intentId, 2, recorded('unpaid'));
    await expect(failed(intent)).resolves.toMatchObject({ status: 'failed' });
  });

  it('whose answer comes after the next one began decides nothing', async () => {
    const intent = await debited();
    await begin(intent);
    await begin(intent);
    await bed.payoutJournal.recordAnswer(intent.intentId, 1, recorded('unpaid'));
    await expect(failed(intent)).resolves.toMatchObject(unproven);
  });

  it('does not end unpaid by a denial if an earlier attempt records an acceptance meanwhile', async () => {
    const intent = await debited();
    await begin(intent);
    await begin(intent);
    await bed.payoutJournal.recordAnswer(intent.intentId, 1, recorded('pending'));
    await bed.payoutJournal.recordAnswer(intent.intentId, 2, recorded('unpaid'));
    await expect(failed(intent)).resolves.toMatchObject(unproven);
    const declined = { ...recorded('unpaid'), isDeclined: true };
    await bed.payoutJournal.recordAnswer(intent.intentId, 2, declined);
    await expect(failed(intent)).resolves.toMatchObject({ status: 'failed' });
  });

  it('is rejected when nothing was debited', async () => {
    const intent = await anIntent(bed, partner, { status: 'authorized' });
    await expect(begin(intent)).resolves.toMatchObject({ kind: 'not_payable' });
  });

  it.each(['created', 'captured', 'failed', 'cancelled'] as const)(
    'is rejected for an intent that is %s',
    async (status) => {
      const intent = await anIntent(bed, partner, { status });
      await expect(begin(intent)).resolves.toMatchObject({ kind: 'not_payable' });
    },
  );
});
