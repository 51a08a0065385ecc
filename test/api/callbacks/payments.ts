// Payments that callbacks are about, with the listener over their database.
import type { Corridor } from '../../../src/corridors/names';
import type { AttentionKind } from '../../../src/domain/intents/attention';
import type { IntentId } from '../../../src/domain/ids';
import { bracket, withDatabase, withPartner } from '../../support/brackets';
import { anIntent, findExisting, type TestBed } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { TERMS } from '../../support/payments/accounts';
import { openListener } from './listener';

export const MINUTE = 60;
export const DAY = 86_400;

interface Sent {
  readonly corridor?: Corridor;
  /** Null: nothing was requested yet. */
  readonly account?: string | null;
}

/** Each test begins at noon, and no payment of another is due. */
export function withCallbacks() {
  const bed = withDatabase();
  const partner = withPartner(bed);
  const listener = bracket(
    () => openListener(bed.database),
    ({ close }) => close(),
  );
  beforeEach(async () => {
    await bed.setNow(NOON);
    // No other test's payment is due.
    await bed.database.query({ text: 'update payment_intents set check_at = null' });
    listener.counted.length = 0;
  });

  const at = (seconds: number) => bed.setNow(secondsAfter(NOON, seconds));

  async function aSent({ corridor = 'th_qrpay', account = 'http/main' }: Sent = {}) {
    const { intentId } = await anIntent(bed, partner, { corridor, status: 'authorized' });
    const intent = await findExisting(bed, intentId);
    await bed.funds.debit(intentId, intent.amountUsdCents);
    if (account === null) await bed.payoutJournal.beginAttempt(intentId, intent, true);
    else await bed.payoutJournal.recordFirstSending(intentId, intent, { ...TERMS, account });
    return intentId;
  }

  /** Its workflow queries the provider every minute. */
  async function aWaiting(kind: AttentionKind = 'payout_unknown', sent: Sent = {}) {
    const intentId = await aSent(sent);
    await bed.intents.setAttention(intentId, { kind, sentence: 'It waits.' });
    await bed.database.query({
      text: `update payment_intents set check_at = service_now() + interval '1 hour'
              where intent_id = $1`,
      values: [intentId],
    });
    return intentId;
  }

  return { bed, partner, listener, at, aSent, aWaiting, ...readingsOf(bed) };
}

function readingsOf(bed: TestBed) {
  /** Everything that the rows say of the payment. */
  async function rowsOf(intentId: IntentId) {
    const { rows } = await bed.database.query({
      text: `select to_jsonb(i) as intent, to_jsonb(p) as payout,
                    (select jsonb_agg(t order by t.at) from intent_transitions t
                      where t.intent_id = i.intent_id) as trail,
                    (select jsonb_agg(l order by l.transfer_key) from ledger_transfers l
                      where l.intent_id = i.intent_id) as books,
                    (select jsonb_agg(a) from attention a where a.intent_id = i.intent_id) as why,
                    (select jsonb_agg(e) from webhook_events e where e.intent_id = i.intent_id) as events
               from payment_intents i left join payouts p using (intent_id)
              where i.intent_id = $1`,
      values: [intentId],
    });
    return rows[0] as Record<'intent' | 'payout', Record<string, unknown>>;
  }

  /** The members of its rows that differ since. */
  async function changedSince(before: Awaited<ReturnType<typeof rowsOf>>, intentId: IntentId) {
    const after = await rowsOf(intentId);
    const others = (rows: typeof before) => ({ ...rows, intent: null, payout: null });
    expect(others(after)).toEqual(others(before));
    return (['intent', 'payout'] as const).flatMap((row) =>
      Object.keys({ ...before[row], ...after[row] })
        .filter((name) => JSON.stringify(before[row][name]) !== JSON.stringify(after[row][name]))
        .sort(),
    );
  }

  const payoutOf = async (intentId: IntentId) => (await rowsOf(intentId)).payout;
  const hintedAt = async (intentId: IntentId) => {
    const { hinted_at: text } = await payoutOf(intentId);
    return typeof text === 'string' ? (Date.parse(text) - NOON.getTime()) / 1_000 : null;
  };
  const due = async () =>
    (await bed.claims.claimDue(100)).map(({ payment, isHinted }) => [payment.intentId, isHinted]);

  return { rowsOf, changedSince, payoutOf, hintedAt, due };
}
