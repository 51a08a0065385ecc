// The limits of a partner (decision 139), by the statements that create and authorize.
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { usdCents } from '../../../src/domain/money';
import { issueKey } from '../../../src/ops/keys/issue';
import { revokeKey } from '../../../src/ops/keys/revoke';
import {
  aCreateCommand,
  anIntent,
  aNonce,
  aTokenUse,
  countOf,
  findExisting,
  move,
  sha256,
  times,
} from '../../support/builders';
import { withDatabase } from '../../support/brackets';
import { NOON, secondsAfter } from '../../support/clock';
import { ANN, aPartner, setLimits, type TestPartner } from '../../support/payments/partner';

const bed = withDatabase({ poolSize: 20 });
beforeEach(() => bed.setNow(NOON));

const CENTS = usdCents(1_000);
const MIDNIGHT = new Date('2026-03-03T00:00:00.000Z');
const limited = (usdCentsPerDay: number) => aPartner(bed, { usdCentsPerDay });
const intentOf = (partner: TestPartner) => anIntent(bed, partner, { amountUsdCents: CENTS });
const intentsOf = (partner: TestPartner, count: number) => times(count, () => intentOf(partner));

/** Confirms with a new token of ten minutes. @returns the outcome */
async function confirm(partner: TestPartner, { intentId, amountUsdCents }: PaymentIntent) {
  const expiresAtMs = secondsAfter(bed.clock.now(), 600).getTime();
  const token = { ...aTokenUse(partner), expiresAtMs };
  const debit = { actor: 'payer', token, debitUsdCents: amountUsdCents };
  return (await move(bed, intentId, 'authorize', debit)).outcome;
}

async function confirmAll(partner: TestPartner, intents: readonly PaymentIntent[]) {
  const outcomes = await times(intents.length, (index) => confirm(partner, at(intents, index)));
  return outcomes.filter((outcome) => outcome === 'did').length;
}

function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new Error(`nothing at ${index}`);
  return item;
}

const countedOf = ({ partnerId }: TestPartner) =>
  countOf(
    bed,
    'select coalesce(sum(authorized_usd_cents), 0) as count from partner_days where partner_id = $1',
    [partnerId],
  );

describe('cents a day', () => {
  it('are never exceeded, however many confirms come at once', async () => {
    const partner = await limited(10_500);
    const intents = await intentsOf(partner, 20);
    expect(await confirmAll(partner, intents)).toBe(10);
    expect(await countedOf(partner)).toBe(10_000);
    const debited = `select count(*) from ledger_transfers where intent_id = any ($1)`;
    expect(await countOf(bed, debited, [intents.map(({ intentId }) => intentId)])).toBe(10);
  });

  it('are not full for an intent that filled them itself', async () => {
    const partner = await limited(1_000);
    const [paid, other] = [await intentOf(partner), await intentOf(partner)];
    expect(await confirm(partner, paid)).toBe('did');
    expect(await bed.limits.untilDayAllows(paid.intentId)).toBeUndefined();
    expect(await bed.limits.untilDayAllows(other.intentId)).toBe(43_200);
  });

  it('leave a rejected intent created, and its token unused', async () => {
    const partner = await limited(1_500);
    const [paid, rejected] = [await intentOf(partner), await intentOf(partner)];
    expect(await confirm(partner, paid)).toBe('did');
    const token = aTokenUse(partner);
    const authorize = () => move(bed, rejected.intentId, 'authorize', { actor: 'payer', token });
    await expect(authorize()).resolves.toMatchObject({
      ...{ outcome: 'not_allowed', status: 'created' },
    });
    const read = await bed.tokens.readToken(rejected.intentId, partner.partnerId, token.jtiHash);
    expect(read.token).toBe('unused');
    await setLimits(bed, partner, { usdCentsPerDay: 2_000 });
    await expect(authorize()).resolves.toMatchObject({ outcome: 'did', status: 'authorized' });
  });

  it('reject an intent above the limit, also the first of the day', async () => {
    const partner = await limited(999);
    expect(await confirm(partner, await intentOf(partner))).toBe('not_allowed');
    expect(await countedOf(partner)).toBe(0);
  });

  it('count one confirm once, however often it is repeated', async () => {
    const partner = await limited(10_000);
    const { intentId } = await intentOf(partner);
    const token = aTokenUse(partner);
    await times(8, () => move(bed, intentId, 'authorize', { actor: 'payer', token }));
    expect(await countedOf(partner)).toBe(1_000);
  });

  it('count nothing for a token that is spent or expired', async () => {
    const partner = await limited(10_000);
    const token = aTokenUse(partner);
    const [first, second] = [await intentOf(partner), await intentOf(partner)];
    const by = (one: PaymentIntent, use = token) =>
      move(bed, one.intentId, 'authorize', { actor: 'payer', token: use });
    await expect(by(first)).resolves.toMatchObject({ outcome: 'did' });
    await expect(by(second)).resolves.toMatchObject({ outcome: 'not_allowed' });
    const expired = { ...aTokenUse(partner), expiresAtMs: NOON.getTime() };
    await expect(by(second, expired)).resolves.toMatchObject({ outcome: 'not_allowed' });
    expect(await countedOf(partner)).toBe(1_000);
  });

  it.each(['fail', 'cancel'] as const)('are given back by a %s', async (event) => {
    const partner = await limited(1_000);
    const intent = await intentOf(partner);
    expect(await confirm(partner, intent)).toBe('did');
    await move(bed, intent.intentId, event, { from: 'authorized' });
    expect(await countedOf(partner)).toBe(0);
    expect(await confirm(partner, await intentOf(partner))).toBe('did');
  });

  it('are not given back by a refund', async () => {
    const partner = await limited(1_000);
    const intent = await intentOf(partner);
    await confirm(partner, intent);
    await move(bed, intent.intentId, 'capture');
    await move(bed, intent.intentId, 'refund');
    expect(await confirm(partner, await intentOf(partner))).toBe('not_allowed');
  });

  it('begin anew at midnight in UTC, and a later release counts for its own day', async () => {
    const partner = await limited(1_000);
    await bed.setNow(secondsAfter(MIDNIGHT, -60));
    const [yesterday, today, third] = [
      await intentOf(partner),
      await intentOf(partner),
      await intentOf(partner),
    ];
    expect(await confirm(partner, yesterday)).toBe('did');
    expect(await confirm(partner, today)).toBe('not_allowed');
    expect(await bed.limits.untilDayAllows(today.intentId)).toBe(60);
    await bed.setNow(MIDNIGHT);
    expect(await bed.limits.untilDayAllows(today.intentId)).toBeUndefined();
    expect(await confirm(partner, today)).toBe('did');
    await move(bed, yesterday.intentId, 'fail');
    expect(await confirm(partner, third)).toBe('not_allowed');
    expect(await bed.limits.untilDayAllows(third.intentId)).toBe(86_400);
  });

  it('write nothing for a partner without a limit, and count from the moment it is set', async () => {
    const partner = await aPartner(bed);
    const before = await intentOf(partner);
    expect(await confirm(partner, before)).toBe('did');
    expect(await bed.limits.untilDayAllows(before.intentId)).toBeUndefined();
    await setLimits(bed, partner, { usdCentsPerDay: 1_000 });
    expect(await confirm(partner, await intentOf(partner))).toBe('did');
    // It was not counted, so that it is not given back either.
    await move(bed, before.intentId, 'fail');
    expect(await countedOf(partner)).toBe(1_000);
  });

  it('neither block an expiry nor count one', async () => {
    const partner = await limited(1_000);
    const late = await anIntent(bed, partner, { timeToLiveSeconds: 0 });
    await move(bed, late.intentId, 'authorize', { actor: 'system' });
    expect((await findExisting(bed, late.intentId)).status).toBe('expired');
    expect(await countedOf(partner)).toBe(0);
  });

  it('hold while confirms, failures and cancels race', async () => {
    const partner = await limited(5_000);
    const intents = await intentsOf(partner, 24);
    await times(24, async (index) => {
      const intent = at(intents, index);
      const isAuthorized = (await confirm(partner, intent)) === 'did';
      const event = index % 3 === 0 ? 'fail' : 'cancel';
      if (isAuthorized && index % 2 === 0)
        await move(bed, intent.intentId, event, { from: 'authorized' });
    });
    const authorized = await countOf(
      bed,
      `select coalesce(sum(amount_usd_cents), 0) as count from payment_intents
        where partner_id = $1 and status = 'authorized'`,
      [partner.partnerId],
    );
    expect(await countedOf(partner)).toBe(authorized);
    expect(authorized).toBeLessThanOrEqual(5_000);
  });
});

describe('intents a second', () => {
  const PER_SECOND = 5;
  const perSecond = () => aPartner(bed, { intentsPerSecond: PER_SECOND });
  const create = (partner: TestPartner, more = {}) =>
    bed.intents.create(aCreateCommand(partner, more)).then(({ outcome }) => outcome);
  const createMany = async (partner: TestPartner, count: number) => {
    const outcomes = await times(count, () => create(partner));
    return outcomes.filter((outcome) => outcome === 'created').length;
  };

  it('are never exceeded, and begin anew with each second', async () => {
    const partner = await perSecond();
    expect(await createMany(partner, 20)).toBe(PER_SECOND);
    await bed.setNow(secondsAfter(NOON, 1));
    expect(await createMany(partner, 20)).toBe(PER_SECOND);
  });

  it('begin anew when the clock was set back', async () => {
    const partner = await perSecond();
    expect(await createMany(partner, PER_SECOND)).toBe(PER_SECOND);
    await bed.setNow(secondsAfter(NOON, -3_600));
    expect(await createMany(partner, 20)).toBe(PER_SECOND);
  });

  it('reject a create without a trace but its nonce', async () => {
    const partner = await perSecond();
    await createMany(partner, PER_SECOND);
    const command = aCreateCommand(partner);
    await expect(bed.intents.create(command)).resolves.toEqual({ outcome: 'second_full' });
    expect(await bed.intents.find(command.intentId)).toBeUndefined();
    await expect(bed.intents.create(command)).resolves.toEqual({
      ...{ outcome: 'rejected', why: 'seen' },
    });
  });

  it('count no repeat of an earlier create, and answer it', async () => {
    const partner = await perSecond();
    const keyed = () => ({ idempotency: { key: 'order-1', bodyDigest: sha256('the body') } });
    expect(await create(partner, keyed())).toBe('created');
    expect(await createMany(partner, PER_SECOND)).toBe(PER_SECOND - 1);
    expect(await create(partner, keyed())).toBe('replayed');
  });

  it('are not taken by requests that a cache still accepts, of a revoked key or another address', async () => {
    const partner = await perSecond();
    const revoked = partner.caller({ keyId: (await issueKey(bed, partner.partnerId, ANN)).key_id });
    await revokeKey(bed.database, revoked.keyId, ANN, { yes: true });
    const elsewhere = partner.caller({ address: '203.0.113.7' });
    const withdrawn = [revoked, elsewhere].flatMap((caller) =>
      Array.from({ length: PER_SECOND }, () => ({ ...caller, nonce: aNonce() })),
    );
    for (const caller of withdrawn) expect(await create(partner, { caller })).toBe('rejected');
    expect(await createMany(partner, 20)).toBe(PER_SECOND);
  });

  it('do not bound a partner without a limit', async () => {
    const partner = await aPartner(bed);
    expect(await createMany(partner, 20)).toBe(20);
    const rows = 'select count(*) from partner_seconds where partner_id = $1';
    expect(await countOf(bed, rows, [partner.partnerId])).toBe(0);
  });
});
