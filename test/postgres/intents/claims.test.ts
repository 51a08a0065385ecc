// The claims of the workflow repairer (architecture, section 3, "Starting and repairing"): one
// worker at a time claims each row.
import { anIntent, aTokenUse, countOf, move, times } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { withDatabase, withPartner } from '../../support/brackets';

const MANY = 10_000;

const bed = withDatabase();
const partner = withPartner(bed);
beforeEach(async () => {
  await bed.setNow(NOON);
  await bed.database.query({ text: 'update payment_intents set check_at = null' });
});

const claimedAt = async (seconds: number) => {
  await bed.setNow(secondsAfter(NOON, seconds));
  const due = await bed.claims.claimDue(MANY);
  return due.map(({ payment }) => payment.intentId);
};

describe('a claim of due payments', () => {
  it('has an intent whose workflow did not start within five seconds', async () => {
    const { intentId } = await anIntent(bed, partner);
    expect(await claimedAt(4.999)).toEqual([]);
    expect(await claimedAt(5)).toEqual([intentId]);
  });

  it('has the arguments of a workflow, and nothing about the payer', async () => {
    const intent = await anIntent(bed, partner);
    await bed.setNow(secondsAfter(NOON, 5));
    await expect(bed.claims.claimDue(1)).resolves.toEqual([
      {
        payment: {
          intentId: intent.intentId,
          partnerId: partner.partnerId,
          amountUsdCents: 1_250,
          corridor: 'th_qrpay',
          status: 'created',
          createdAtMs: intent.createdAt.getTime(),
          expiresAtMs: intent.expiresAt.getTime(),
        },
        payableForMs: null,
        isHinted: false,
      },
    ]);
  });

  it('leaves out a corridor that this build lacks, as after a rollback, and has the others', async () => {
    const [other, known] = [await anIntent(bed, partner), await anIntent(bed, partner)];
    await bed.database.query({
      text: 'alter table payment_intents drop constraint corridor_is_known',
    });
    await bed.database.query({
      text: `update payment_intents set corridor = 'xx_qrpay' where intent_id = $1`,
      values: [other.intentId],
    });
    expect(await claimedAt(5)).toEqual([known.intentId]);
    await bed.setNow(known.expiresAt);
    const overdue = await bed.claims.claimOverdue(MANY);
    expect(overdue.map(({ payment }) => payment.intentId)).toEqual([known.intentId]);
    await bed.database.query({
      text: `update payment_intents set check_at = null where intent_id = $1`,
      values: [other.intentId],
    });
  });

  it('leaves out a claimed row for thirty seconds', async () => {
    const { intentId } = await anIntent(bed, partner);
    expect(await claimedAt(5)).toEqual([intentId]);
    expect(await claimedAt(34.999)).toEqual([]);
    expect(await claimedAt(35)).toEqual([intentId]);
  });

  it('leaves out a started payment past its deadline: the deadline poller claims it', async () => {
    const { intentId } = await anIntent(bed, partner, { timeToLiveSeconds: 60 });
    await bed.claims.markStarted([intentId]);
    expect(await claimedAt(59.999)).toEqual([]);
    expect(await claimedAt(86_400)).toEqual([]);
  });

  it('has an intent authorized for thirty seconds, even if it is marked started late', async () => {
    const { intentId } = await anIntent(bed, partner, { status: 'authorized' });
    await bed.claims.markStarted([intentId]);
    expect(await claimedAt(29.999)).toEqual([]);
    expect(await claimedAt(30)).toEqual([intentId]);
  });

  it.each(['captured', 'failed', 'expired', 'cancelled'] as const)(
    'never has an intent that is %s',
    async (status) => {
      await anIntent(bed, partner, { status });
      expect(await claimedAt(86_400)).toEqual([]);
    },
  );

  it('has no more rows than its limit, the longest due first', async () => {
    const older = await times(3, () => anIntent(bed, partner));
    await bed.setNow(secondsAfter(NOON, 1));
    await times(3, () => anIntent(bed, partner));
    await bed.setNow(secondsAfter(NOON, 60));
    const due = await bed.claims.claimDue(3);
    expect(due.map(({ payment }) => payment.intentId).sort()).toEqual(
      older.map(({ intentId }) => intentId).sort(),
    );
  });

  it('gives each row to only one of eight concurrent claims, and leaves none behind', async () => {
    const intents = await times(40, () => anIntent(bed, partner));
    await bed.setNow(secondsAfter(NOON, 60));
    const claims = await times(8, () => bed.claims.claimDue(5));
    const claimed = claims.flat().map(({ payment }) => payment.intentId);
    const rest = await bed.claims.claimDue(MANY);
    const all = [...claimed, ...rest.map(({ payment }) => payment.intentId)];
    expect(all.sort()).toEqual(intents.map(({ intentId }) => intentId).sort());
  });
});

describe('dropping nonces and tokens that can no longer be replayed', () => {
  const nonces = () => countOf(bed, 'select count(*) from request_nonces');
  const tokens = () => countOf(bed, 'select count(*) from used_tokens');

  beforeEach(async () => {
    await bed.setNow(secondsAfter(NOON, 10 * 86_400));
    await bed.claims.dropExpired(MANY);
    await bed.setNow(NOON);
  });

  it('keeps a nonce for the window and the skew on both sides, and then drops it', async () => {
    const caller = partner.caller();
    await bed.replayGuard.claimNonce(caller);
    await bed.setNow(secondsAfter(NOON, 1_200));
    await bed.claims.dropExpired(MANY);
    await expect(bed.replayGuard.claimNonce(caller)).resolves.toBe('seen');
    await bed.setNow(secondsAfter(NOON, 1_200.001));
    await expect(bed.claims.dropExpired(MANY)).resolves.toBe(1);
    expect(await nonces()).toBe(0);
  });

  it('keeps a used token until its exp, and drops it later', async () => {
    const { intentId } = await anIntent(bed, partner);
    const token = aTokenUse(partner);
    await move(bed, intentId, 'authorize', { token });
    await bed.setNow(new Date(token.expiresAtMs));
    await bed.claims.dropExpired(MANY);
    expect(await tokens()).toBe(1);
    await bed.setNow(secondsAfter(NOON, 86_400));
    await bed.claims.dropExpired(MANY);
    expect(await tokens()).toBe(0);
  });

  it('drops a bounded batch at a time', async () => {
    await times(10, () => bed.replayGuard.claimNonce(partner.caller()));
    await bed.setNow(secondsAfter(NOON, 86_400));
    await expect(bed.claims.dropExpired(4)).resolves.toBe(4);
    await expect(bed.claims.dropExpired(MANY)).resolves.toBe(6);
  });
});
