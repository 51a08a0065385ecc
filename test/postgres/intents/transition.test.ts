// Compare and set along the table (architecture, sections 2 and 3, rule R1): the report and the
// rows of every edge.
import { INSUFFICIENT_FUNDS } from '../../../src/domain/intents/transition';
import { INTENT_TRANSITIONS } from '../../../src/domain/intents/transitions';
import type { IntentStatus, PaymentIntent } from '../../../src/domain/intents/payment-intent';
import type { TokenUse } from '../../../src/domain/intents/transition';
import { recorded } from '../../support/payments/answers';
import {
  aDebitedIntent,
  anIntent,
  aTokenUse,
  balanceOf,
  countOf,
  findExisting,
  move,
  times,
} from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { aPartner } from '../../support/payments/partner';
import { proveResolution } from '../../support/payments/proofs';
import { recordSent } from '../../support/payments/payouts';
import { withDatabase, withPartner } from '../../support/brackets';

const bed = withDatabase();
const partner = withPartner(bed);

const historyOf = async (intentId: string) => {
  const { rows } = await bed.database.query<{ readonly step: string }>({
    text: `select from_status || '>' || to_status || ' by ' || actor as step
             from intent_transitions where intent_id = $1 order by at, to_status`,
    values: [intentId],
  });
  return rows.map(({ step }) => step);
};

/**
 * An intent for which this edge is allowed: past its deadline for `expire`, debited and paid for
 * `capture`; and an operator's resolution of it.
 */
async function ready(edge: (typeof INTENT_TRANSITIONS)[number]) {
  const isExpiry = edge.event === 'expire';
  const intent = await anIntent(bed, partner, {
    status: edge.from,
    ...(isExpiry && { timeToLiveSeconds: 0 }),
  });
  const { intentId, amountUsdCents } = intent;
  const reason = edge.event === 'fail' ? INSUFFICIENT_FUNDS : undefined;
  const command = { intentId, from: edge.from, event: edge.event, actor: 'system', reason };
  await proveResolution(bed.database, { ...command, actor: 'ann', reason: 'because' });
  if (edge.event === 'capture') {
    await bed.funds.debit(intentId, amountUsdCents);
    await recordSent(bed, intentId);
    await bed.payoutJournal.recordAnswer(intentId, 1, recorded('paid'));
  }
  return command;
}

describe.each(INTENT_TRANSITIONS.map((edge) => [edge.from, edge.event, edge] as const))(
  'from %s, %s',
  (_from, _event, edge) => {
    it('changes the row once, with one audit row that has the actor and the reason', async () => {
      const command = { ...(await ready(edge)), actor: 'ann', reason: 'because' };
      const { intentId } = command;
      const first = await bed.intents.transition(command);
      expect(first).toMatchObject({ outcome: 'did', status: edge.to, dueInMs: 0 });
      const repeat = await bed.intents.transition(command);
      expect(repeat).toEqual({ ...first, outcome: 'same' });
      const text = `select count(*) from intent_transitions
                     where intent_id = $1 and reason = 'because'`;
      expect(await countOf(bed, text, [intentId])).toBe(1);
      // The deadline decides an expiry, so its actor is always the system.
      const actor = edge.event === 'expire' ? 'system' : 'ann';
      expect(await historyOf(intentId)).toContain(`${edge.from}>${edge.to} by ${actor}`);
    });

    it('changes the row once, however many calls come at once', async () => {
      const command = await ready(edge);
      const reports = await times(8, () => bed.intents.transition(command));
      const outcomes = reports.map(({ outcome }) => outcome).sort();
      expect(outcomes).toEqual(['did', ...Array<string>(7).fill('same')]);
    });
  },
);

describe('a row in another status', () => {
  const OTHERS: readonly (readonly [
    IntentStatus,
    'created' | 'authorized' | 'captured',
    string,
  ])[] = [
    ['authorized', 'created', 'cancel'],
    ['captured', 'created', 'authorize'],
    ['cancelled', 'created', 'authorize'],
    ['expired', 'created', 'authorize'],
    ['failed', 'authorized', 'capture'],
    ['cancelled', 'authorized', 'capture'],
    ['created', 'authorized', 'capture'],
    ['authorized', 'captured', 'refund'],
  ];

  it.each(OTHERS)(
    '%s reports other to a call that expects %s and requests %s',
    async (...parts) => {
      const [status, from, event] = parts;
      const { intentId } = await anIntent(bed, partner, { status });
      const before = await historyOf(intentId);
      const known = INTENT_TRANSITIONS.find((edge) => edge.from === from && edge.event === event);
      const command = { intentId, from, event: known?.event ?? 'refund', actor: 'system' };
      await expect(bed.intents.transition(command)).resolves.toMatchObject({
        outcome: 'other',
        status,
      });
      expect(await historyOf(intentId)).toEqual(before);
    },
  );

  it('throws for an edge that the table does not have', async () => {
    const { intentId } = await anIntent(bed, partner);
    const command = { intentId, from: 'created', event: 'capture', actor: 'system' } as const;
    await expect(bed.intents.transition(command)).rejects.toThrow('no edge capture from created');
  });

  it('throws if there is no row', async () => {
    const gone = await anIntent(bed, partner);
    const intentId = `${gone.intentId.slice(0, -4)}zzzz` as typeof gone.intentId;
    const command = { intentId, from: 'created', event: 'cancel', actor: 'system' } as const;
    await expect(bed.intents.transition(command)).rejects.toThrow('there is no row of');
  });
});

describe('the token that authorizes', () => {
  const authorize = ({ intentId }: PaymentIntent, token: TokenUse) =>
    move(bed, intentId, 'authorize', { token });
  const usesOf = ({ jtiHash }: TokenUse) =>
    countOf(bed, `select count(*) from used_tokens where jti_hash = decode($1, 'hex')`, [jtiHash]);

  it('spent on another intent reports not_allowed, and the intent stays created', async () => {
    const [first, second] = [await anIntent(bed, partner), await anIntent(bed, partner)];
    const token = aTokenUse(partner);
    await authorize(first, token);
    const rejected = { outcome: 'not_allowed', status: 'created' };
    await expect(authorize(second, token)).resolves.toMatchObject(rejected);
    expect(await historyOf(second.intentId)).toEqual([]);
    expect(await usesOf(token)).toBe(1);
  });

  it('raced by ten intents authorizes exactly one of them', async () => {
    const token = aTokenUse(partner);
    const intents = await times(10, () => anIntent(bed, partner));
    const reports = await Promise.all(intents.map((intent) => authorize(intent, token)));
    const outcomes = reports.map(({ outcome }) => outcome).sort();
    expect(outcomes).toEqual(['did', ...Array<string>(9).fill('not_allowed')]);
  });

  it('of another partner may have the same jti', async () => {
    const other = await aPartner(bed);
    const token = aTokenUse(partner);
    await authorize(await anIntent(bed, partner), token);
    const theirs = { ...token, partnerId: other.partnerId };
    const report = await authorize(await anIntent(bed, other), theirs);
    expect(report.outcome).toBe('did');
  });

  it('is not spent by an authorization that came too late', async () => {
    const token = aTokenUse(partner);
    const report = await authorize(await anIntent(bed, partner, { timeToLiveSeconds: 0 }), token);
    expect(report).toMatchObject({ outcome: 'other', status: 'expired' });
    expect(await usesOf(token)).toBe(0);
  });
});

describe('capturing', () => {
  it('moves nothing when nothing was debited', async () => {
    const { intentId } = await anIntent(bed, partner, { status: 'authorized' });
    const settled = await balanceOf(bed, 'settlement:th_qrpay');
    const stays = { outcome: 'other', status: 'authorized' };
    await expect(move(bed, intentId, 'capture')).resolves.toMatchObject(stays);
    expect(await historyOf(intentId)).toHaveLength(1);
    expect(await balanceOf(bed, 'settlement:th_qrpay')).toBe(settled);
  });

  it('captures nothing because the command says that it is paid', async () => {
    const { intentId } = await aDebitedIntent(bed, partner);
    const command = { intentId, from: 'authorized', event: 'capture', actor: 'system' } as const;
    const forged = { ...command, isPaid: true };
    await expect(bed.intents.transition(forged)).resolves.toMatchObject({ status: 'authorized' });
  });

  it('records the time to the millisecond, as every response shows it', async () => {
    const at = secondsAfter(NOON, 1.234);
    const { intentId } = await aDebitedIntent(bed, partner);
    await bed.setNow(at);
    await move(bed, intentId, 'capture');
    await bed.setNow(NOON);
    await expect(findExisting(bed, intentId)).resolves.toMatchObject({ capturedAt: at });
  });
});
