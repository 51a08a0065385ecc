// Decision 20, raced for real: whatever is confirmed at once with several codes, the provider is sent the code of the confirm
// that got 200, whole or not at all.
import type { PaymentIntent } from '../../src/domain/payment-intent';
import { withApi } from '../support/brackets';
import { anIntent, findExisting, times } from '../support/builders';
import { mintToken } from '../support/partner';
import { aThaiCode } from '../support/qr-codes';

const PAIRS = 30;
const CODES = Array.from({ length: 5 }, (_, index) => aThaiCode({ '54': String(index + 1) }));
const [ONE, TWO] = [aThaiCode({ '54': '1' }), aThaiCode({ '54': '2' })];

const { bed, app, partner } = withApi({ poolSize: 16 });
beforeEach(() => {
  app.mode = 'settle';
});

interface Confirm {
  readonly token: string;
  readonly code: string | null;
}

interface Raced extends Confirm {
  readonly status: number;
}

/** Sends them all at once. */
function race({ intentId }: PaymentIntent, confirms: readonly Confirm[]): Promise<Raced[]> {
  return times(confirms.length, async (index) => {
    const { token, code } = confirms[index] ?? { token: '', code: null };
    const { status } = await app.send({
      method: 'POST',
      path: `/v1/payment_intents/${intentId}/confirm`,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(code !== null && { body: JSON.stringify({ qr_payload: code }) }),
    });
    return { token, code, status };
  });
}

const sentFor = ({ intentId }: PaymentIntent) =>
  app.payouts.filter((payout) => payout.intentId === intentId).map(({ qrPayload }) => qrPayload);
const mint = (intent: PaymentIntent) => mintToken(partner, intent);
const answered = (raced: readonly Raced[], status: number) =>
  raced.filter((one) => one.status === status);

describe('two simultaneous confirms', () => {
  it('with two tokens and two codes: one is 200 and its code is paid by, the other is 409', async () => {
    const winners = new Set<string | null>();
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const intent = await anIntent(bed, partner);
      const confirms = [ONE, TWO].map((code) => ({ token: mint(intent), code }));
      // The one that is sent first would be ahead of the other every time.
      const raced = await race(intent, pair % 2 === 0 ? confirms : [...confirms].reverse());
      const [winner] = answered(raced, 200);
      expect([answered(raced, 200).length, answered(raced, 409).length]).toEqual([1, 1]);
      expect(sentFor(intent)).toEqual([winner?.code]);
      winners.add(winner?.code ?? null);
    }
    expect(winners).toEqual(new Set([ONE, TWO]));
  });

  it('with one token and two codes: one is 200 and its code is paid by, the other is 401 or 409', async () => {
    const winners = new Set<string | null>();
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const intent = await anIntent(bed, partner);
      const token = mint(intent);
      const codes = pair % 2 === 0 ? [ONE, TWO] : [TWO, ONE];
      const raced = await race(
        intent,
        codes.map((code) => ({ token, code })),
      );
      const [winner] = answered(raced, 200);
      expect(raced.map(({ status }) => status).sort()).toEqual([200, expect.any(Number)]);
      expect([401, 409]).toContain(raced.find((one) => one !== winner)?.status);
      expect(sentFor(intent)).toEqual([winner?.code]);
      winners.add(winner?.code ?? null);
    }
    expect(winners).toEqual(new Set([ONE, TWO]));
  });

  it('with one token, of which one has a code: that one is 200 only if the provider is sent it', async () => {
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const intent = await anIntent(bed, partner);
      const token = mint(intent);
      const codes = pair % 2 === 0 ? [ONE, null] : [null, ONE];
      const raced = await race(
        intent,
        codes.map((code) => ({ token, code })),
      );
      const [winner, ...more] = answered(raced, 200);
      expect(more).toEqual([]);
      const [sent] = sentFor(intent);
      expect(winner?.code === ONE ? [ONE] : [ONE, null]).toContain(sent);
    }
  });
});

describe('ten simultaneous confirms with five codes and none', () => {
  it('each 200 with a code is one with the code that the provider will be sent', async () => {
    app.mode = 'authorize';
    for (let round = 0; round < 10; round += 1) {
      const intent = await anIntent(bed, partner);
      const codes = [...CODES, ...Array<null>(2).fill(null), ...CODES.slice(0, 3)];
      const raced = await race(
        intent,
        codes.map((code) => ({ token: mint(intent), code })),
      );
      const { status, amountUsdCents } = await findExisting(bed, intent.intentId);
      expect(status).toBe('authorized');
      await bed.funds.debit(intent.intentId, amountUsdCents);
      const { qrPayload } = await bed.payoutJournal.beginAttempt(intent.intentId);
      const withCode = raced.filter(({ code }) => code !== null);
      expect(new Set(answered(withCode, 200).map(({ code }) => code))).toEqual(
        new Set(qrPayload === null ? [] : [qrPayload]),
      );
      expect(answered(withCode, 409)).toEqual(withCode.filter(({ code }) => code !== qrPayload));
      expect(answered(raced, 200).length + answered(raced, 409).length).toBe(10);
    }
  });
});
