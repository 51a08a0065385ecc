// Compare and set along the table (architecture, sections 2 and 3, rule R1): what every edge reports and leaves behind.
import { INTENT_TRANSITIONS } from '../../src/domain/intent-transitions';
import type { IntentStatus } from '../../src/domain/payment-intent';
import { anIntent, aTokenUse, balanceOf, countOf, findExisting, times } from '../support/builders';
import { NOON, secondsAfter } from '../support/clock';
import { aPartner } from '../support/partner';
import { withDatabase, withPartner } from '../support/brackets';

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

/** An intent that this edge may take now: past its deadline for `expire`, debited for `capture`. */
async function ready(edge: (typeof INTENT_TRANSITIONS)[number]) {
  const isExpiry = edge.event === 'expire';
  const intent = await anIntent(bed, partner, {
    status: edge.from,
    ...(isExpiry && { timeToLiveSeconds: 0 }),
  });
  if (edge.event === 'capture') await bed.funds.debit(intent.intentId, intent.amountUsdCents);
  return { intentId: intent.intentId, from: edge.from, event: edge.event, actor: 'system' };
}

describe.each(INTENT_TRANSITIONS.map((edge) => [edge.from, edge.event, edge] as const))(
  'from %s, %s',
  (_from, _event, edge) => {
    it('reports did to the one that moved the row, and same to its repeat', async () => {
      const command = await ready(edge);
      const first = await bed.intents.transition(command);
      expect(first).toMatchObject({ outcome: 'did', status: edge.to, dueInMs: 0 });
      const repeat = await bed.intents.transition(command);
      expect(repeat).toEqual({ ...first, outcome: 'same' });
    });

    it('writes one row of history, with who asked and why', async () => {
      const command = await ready(edge);
      const { intentId } = command;
      await bed.intents.transition({ ...command, actor: 'somebody', reason: 'because' });
      const reasons = await countOf(
        bed,
        `select count(*) from intent_transitions where intent_id = $1 and reason = 'because'`,
        [intentId],
      );
      expect(reasons).toBe(1);
      // The deadline decides an expiry, whoever asked.
      const actor = edge.event === 'expire' ? 'system' : 'somebody';
      expect(await historyOf(intentId)).toContain(`${edge.from}>${edge.to} by ${actor}`);
    });

    it('moves the row once, however many ask at once', async () => {
      const command = await ready(edge);
      const reports = await times(8, () => bed.intents.transition(command));
      const outcomes = reports.map(({ outcome }) => outcome).sort();
      expect(outcomes).toEqual(['did', ...Array.from({ length: 7 }, () => 'same')]);
    });
  },
);

describe('a row that stands elsewhere', () => {
  const ELSEWHERE: readonly (readonly [
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

  it.each(ELSEWHERE)(
    'at %s reports other to whoever thinks it %s and asks %s',
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

  it('throws for an edge that the table does not have: that is a bug and not a report', async () => {
    const { intentId } = await anIntent(bed, partner);
    const command = { intentId, from: 'created', event: 'capture', actor: 'system' } as const;
    await expect(bed.intents.transition(command)).rejects.toThrow('no edge capture from created');
  });

  it('throws where there is no row at all', async () => {
    const gone = await anIntent(bed, partner);
    const intentId = `${gone.intentId.slice(0, -4)}zzzz` as typeof gone.intentId;
    const command = { intentId, from: 'created', event: 'cancel', actor: 'system' } as const;
    await expect(bed.intents.transition(command)).rejects.toThrow('there is no row of');
  });
});

describe('the token that authorizes', () => {
  const authorize = { from: 'created', event: 'authorize', actor: 'payer' } as const;
  const usesOf = (jtiHash: string) =>
    countOf(bed, `select count(*) from used_tokens where jti_hash = decode($1, 'hex')`, [jtiHash]);

  it('is recorded in the same commit, and unanswered until a request answers for it', async () => {
    const { intentId } = await anIntent(bed, partner);
    const token = aTokenUse(partner);
    await bed.intents.transition({ ...authorize, intentId, token });
    const { token: state } = await bed.tokens.look(intentId, partner.partnerId, token.jtiHash);
    expect(state).toBe('unanswered');
  });

  it('spent on another intent reports token_refused, and the intent stays created', async () => {
    const [first, second] = [await anIntent(bed, partner), await anIntent(bed, partner)];
    const token = aTokenUse(partner);
    await bed.intents.transition({ ...authorize, intentId: first.intentId, token });
    const report = await bed.intents.transition({ ...authorize, intentId: second.intentId, token });
    expect(report).toMatchObject({ outcome: 'token_refused', status: 'created' });
    expect(await historyOf(second.intentId)).toEqual([]);
    expect(await usesOf(token.jtiHash)).toBe(1);
  });

  it('raced by ten intents authorizes exactly one of them', async () => {
    const token = aTokenUse(partner);
    const intents = await times(10, () => anIntent(bed, partner));
    const reports = await Promise.all(
      intents.map(({ intentId }) => bed.intents.transition({ ...authorize, intentId, token })),
    );
    expect(reports.map(({ outcome }) => outcome).sort()).toEqual([
      'did',
      ...Array.from({ length: 9 }, () => 'token_refused'),
    ]);
  });

  it('of another partner may have the same jti', async () => {
    const other = await aPartner(bed);
    const [mine, theirs] = [await anIntent(bed, partner), await anIntent(bed, other)];
    const token = aTokenUse(partner);
    await bed.intents.transition({ ...authorize, intentId: mine.intentId, token });
    const report = await bed.intents.transition({
      ...authorize,
      intentId: theirs.intentId,
      token: { ...token, partnerId: other.partnerId },
    });
    expect(report.outcome).toBe('did');
  });

  it('is not spent by an authorization that came too late', async () => {
    const { intentId } = await anIntent(bed, partner, { timeToLiveSeconds: 0 });
    const token = aTokenUse(partner);
    const report = await bed.intents.transition({ ...authorize, intentId, token });
    expect(report).toMatchObject({ outcome: 'other', status: 'expired' });
    expect(await usesOf(token.jtiHash)).toBe(0);
  });
});

describe('capturing', () => {
  const capture = { from: 'authorized', event: 'capture', actor: 'system' } as const;

  it('moves nothing when nothing was debited', async () => {
    const { intentId } = await anIntent(bed, partner, { status: 'authorized' });
    const settled = await balanceOf(bed, 'settlement:th_qrpay');
    await expect(bed.intents.transition({ ...capture, intentId })).resolves.toMatchObject({
      outcome: 'other',
      status: 'authorized',
    });
    expect(await historyOf(intentId)).toHaveLength(1);
    expect(await balanceOf(bed, 'settlement:th_qrpay')).toBe(settled);
  });

  it('notes when, to the millisecond that every answer shows', async () => {
    const at = secondsAfter(NOON, 1.234);
    const { intentId, amountUsdCents } = await anIntent(bed, partner, { status: 'authorized' });
    await bed.funds.debit(intentId, amountUsdCents);
    await bed.setNow(at);
    await bed.intents.transition({ ...capture, intentId });
    await bed.setNow(NOON);
    await expect(findExisting(bed, intentId)).resolves.toMatchObject({ capturedAt: at });
  });
});
