// The scanned code between confirm and payout (decision 20; architecture, section 3, "Messages"):
// it is stored under its token, adopted in the transaction that the token authorizes, read by the
// payout attempt, and dropped when it is no longer needed.
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import type { TokenUse } from '../../../src/domain/intents/transition';
import { createSessionTokenStore } from '../../../src/postgres/partners/session-tokens';
import { anIntent, aTokenUse, countOf, intentsWithin, move, times } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { aThaiCode } from '../../support/payments/qr-codes';
import { untilBlocked } from '../../support/until-blocked';
import { withDatabase, withPartner } from '../../support/brackets';
import { beginNumbered, recordSent, recordSentAgain } from '../../support/payments/payouts';

const [CODE, OTHER] = [aThaiCode({ '54': '1' }), aThaiCode({ '54': '2' })];

const bed = withDatabase({ poolSize: 16 });
const partner = withPartner(bed);
beforeEach(() => bed.setNow(NOON));

const store = ({ intentId }: PaymentIntent, token: TokenUse, code = CODE) =>
  bed.tokens.storePayload(intentId, token, { qrPayload: code });
const authorize = ({ intentId }: PaymentIntent, token?: TokenUse) =>
  move(bed, intentId, 'authorize', { token });
const withToken = async () => [await anIntent(bed, partner), aTokenUse(partner)] as const;
const rowsOf = ({ intentId }: PaymentIntent) =>
  countOf(bed, 'select count(*) from confirm_payloads where intent_id = $1', [intentId]);

/** The code that is sent to the provider for an authorized intent. */
async function codePaidOut({ intentId, amountUsdCents }: PaymentIntent): Promise<string | null> {
  await bed.funds.debit(intentId, amountUsdCents);
  const sending = await recordSent(bed, intentId);
  if (sending === undefined) throw new Error('the payout was not recorded');
  return sending.qrPayload;
}

describe('a code', () => {
  it('is stored once, however often it comes with its token', async () => {
    const [intent, token] = await withToken();
    expect(await times(10, () => store(intent, token))).toEqual(Array(10).fill('stored'));
    expect(await rowsOf(intent)).toBe(1);
  });

  it('is never replaced by another one of the same token', async () => {
    const [intent, token] = await withToken();
    expect([await store(intent, token), await store(intent, token, OTHER)]).toEqual([
      ...['stored', 'other_payload'],
    ]);
    await authorize(intent, token);
    expect(await codePaidOut(intent)).toBe(CODE);
  });

  it('that comes at once with another of its token is adopted, or rejected', async () => {
    for (let round = 0; round < 30; round += 1) {
      const [intent, token] = await withToken();
      const stored = await Promise.all([store(intent, token, CODE), store(intent, token, OTHER)]);
      await authorize(intent, token);
      expect([...stored].sort()).toEqual(['other_payload', 'stored']);
      expect(await codePaidOut(intent)).toBe(stored[0] === 'stored' ? CODE : OTHER);
    }
  });

  it('of a jti that two intents share is stored for each', async () => {
    const token = aTokenUse(partner);
    const [one, two] = [await anIntent(bed, partner), await anIntent(bed, partner)];
    expect([await store(one, token), await store(two, token, OTHER)]).toEqual([
      ...['stored', 'stored'],
    ]);
    await authorize(two, token);
    await expect(authorize(one, token)).resolves.toMatchObject({ outcome: 'not_allowed' });
    expect(await codePaidOut(two)).toBe(OTHER);
  });

  it.each(['', 'x'.repeat(513), 'é'.repeat(257)])(
    'of another length is rejected by the table',
    async (code) => {
      const intent = await anIntent(bed, partner);
      await expect(store(intent, aTokenUse(partner), code)).rejects.toMatchObject({
        constraint: 'qr_payload_length',
      });
    },
  );
});

describe('the transaction that authorizes', () => {
  it('adopts the code of its token, and of no other', async () => {
    const intent = await anIntent(bed, partner);
    const [token, other] = [aTokenUse(partner), aTokenUse(partner)];
    await store(intent, other, OTHER);
    await store(intent, token);
    await authorize(intent, token);
    expect(await codePaidOut(intent)).toBe(CODE);
  });

  it.each([
    ['by a token without a code', () => aTokenUse(partner)],
    ['by operations, without a token', () => undefined],
  ])('%s adopts nothing', async (_name, tokenOf) => {
    const intent = await anIntent(bed, partner);
    await store(intent, aTokenUse(partner));
    await expect(authorize(intent, tokenOf())).resolves.toMatchObject({ outcome: 'did' });
    expect(await codePaidOut(intent)).toBeNull();
  });

  it('that is rolled back adopts nothing, and its repeat adopts the code', async () => {
    const [intent, token] = await withToken();
    await store(intent, token);
    const killed = bed.database.inTransaction(async (connection) => {
      await move({ intents: intentsWithin(connection) }, intent.intentId, 'authorize', { token });
      const { rows } = await connection.query({ text: ADOPTED, values: [intent.intentId] });
      expect(rows).toEqual([{ count: 1 }]);
      throw new Error('the worker is killed');
    });
    await expect(killed).rejects.toThrow('the worker is killed');
    expect(await countOf(bed, ADOPTED, [intent.intentId])).toBe(0);
    await expect(authorize(intent, token)).resolves.toMatchObject({ outcome: 'did' });
    expect(await codePaidOut(intent)).toBe(CODE);
  });

  it('adopts a code whose row is being written again by a repeat', async () => {
    const [intent, token] = await withToken();
    await store(intent, token);
    let authorizing: ReturnType<typeof authorize> | undefined;
    await bed.database.inTransaction(async (connection) => {
      await createSessionTokenStore(connection).storePayload(intent.intentId, token, {
        qrPayload: CODE,
      });
      authorizing = authorize(intent, token);
      await untilBlocked(connection);
    });
    await expect(authorizing).resolves.toMatchObject({ outcome: 'did' });
    expect(await codePaidOut(intent)).toBe(CODE);
  });

  it('that came too late adopts nothing', async () => {
    const intent = await anIntent(bed, partner, { timeToLiveSeconds: 0 });
    const token = aTokenUse(partner);
    await store(intent, token);
    await expect(authorize(intent, token)).resolves.toMatchObject({ status: 'expired' });
    expect(await countOf(bed, ADOPTED, [intent.intentId])).toBe(0);
  });
});

describe('a payout attempt', () => {
  it('reads the same code every time', async () => {
    const [intent, token] = await withToken();
    await store(intent, token);
    await authorize(intent, token);
    expect(await codePaidOut(intent)).toBe(CODE);
    await store(intent, aTokenUse(partner), OTHER);
    await bed.setNow(secondsAfter(NOON, 6));
    const number = await beginNumbered(bed, intent.intentId);
    expect(await recordSentAgain(bed, intent.intentId, number)).toMatchObject({ qrPayload: CODE });
  });
});

describe('a code is dropped', () => {
  const MANY = 10_000;
  /** A time at which no API can take the expired token for valid. */
  const OVER = secondsAfter(NOON, 600 + 900.001);
  const drop = () => bed.claims.dropExpired(MANY);

  beforeEach(async () => {
    await bed.setNow(secondsAfter(NOON, 10 * 86_400));
    await bed.database.query({ text: 'truncate confirm_payloads, used_tokens, request_nonces' });
    await bed.setNow(NOON);
  });

  it('when its token has expired and authorized nothing, and not before', async () => {
    const intent = await anIntent(bed, partner);
    await store(intent, aTokenUse(partner));
    await bed.setNow(secondsAfter(NOON, 600 + 900));
    await drop();
    expect(await rowsOf(intent)).toBe(1);
    await bed.setNow(OVER);
    await drop();
    expect(await rowsOf(intent)).toBe(0);
  });

  it('once its intent is settled, and not while it is authorized', async () => {
    const [intent, token] = await withToken();
    await store(intent, token);
    await authorize(intent, token);
    await bed.setNow(secondsAfter(NOON, 30 * 86_400));
    await drop();
    expect(await codePaidOut(intent)).toBe(CODE);
    const { intentId } = intent;
    await move(bed, intentId, 'capture');
    await drop();
    expect(await rowsOf(intent)).toBe(0);
  });

  it('in bounded batches, except rows that another poller has locked', async () => {
    const intent = await anIntent(bed, partner);
    await bed.claims.dropExpired(MANY);
    await times(10, () => store(intent, aTokenUse(partner)));
    await bed.setNow(OVER);
    await bed.database.query({ text: 'truncate request_nonces' });
    await bed.database.inTransaction(async (connection) => {
      await connection.query({
        text: 'select from confirm_payloads where intent_id = $1 limit 4 for update',
        values: [intent.intentId],
      });
      expect([await bed.claims.dropExpired(5), await bed.claims.dropExpired(5)]).toEqual([5, 1]);
    });
    await expect(bed.claims.dropExpired(5)).resolves.toBe(4);
  });
});

const ADOPTED = 'select count(*) from confirm_payloads where intent_id = $1 and is_adopted';
