// Decision 20, raced for real: whatever is confirmed at once with several codes, the provider is sent the code of the confirm
// that got 200, whole or not at all.
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { withApi } from '../../support/brackets';
import { anIntent, findExisting, times } from '../../support/builders';
import { mintToken } from '../../support/payments/partner';
import { aThaiCode } from '../../support/payments/qr-codes';
import { recordSent } from '../../support/payments/payouts';

const PAIRS = 30;
const CODES = Array.from({ length: 5 }, (_, index) => aThaiCode({ '54': String(index + 1) }));
const [ONE, TWO] = [aThaiCode({ '54': '1' }), aThaiCode({ '54': '2' })];

const { bed, app, partner } = withApi({ poolSize: 16 });
let intent: PaymentIntent;

type Code = string | null;

interface Raced {
  readonly code: Code;
  readonly status: number;
}

/** Confirms with all these codes at once, by one token or each by its own. */
function race(codes: readonly Code[], isOneToken: boolean): Promise<Raced[]> {
  const token = mintToken(partner, intent);
  return times(codes.length, async (index) => {
    const code = codes[index] ?? null;
    const own = isOneToken ? token : mintToken(partner, intent);
    const { status } = await app.confirm(intent, own, code ?? {});
    return { code, status };
  });
}

/** The one that is answered 200, whose code is paid by. A confirm without a code may be paid by the other one's. */
function winnerOf(raced: readonly Raced[]): Code {
  const winners = answered(raced, 200);
  expect(winners).toHaveLength(1);
  const code = winners[0]?.code ?? null;
  const sent = app.codesFor(intent);
  expect(sent).toHaveLength(1);
  expect(code === null ? raced.map((one) => one.code) : [code]).toContain(sent[0]);
  return code;
}

const answered = (raced: readonly Raced[], status: number) =>
  raced.filter((one) => one.status === status);

describe('two simultaneous confirms', () => {
  it.each([
    ['two tokens and two codes', [ONE, TWO], false, [409]],
    ['one token and two codes', [ONE, TWO], true, [401, 409]],
    ['one token, of which one has a code', [ONE, null], true, [401, 409]],
  ] as const)('with %s: one is 200, and its code is paid by', async (...parts) => {
    const [, codes, isOneToken, lost] = parts;
    const winners = new Set<Code>();
    for (let pair = 0; pair < PAIRS; pair += 1) {
      intent = await anIntent(bed, partner);
      // The one that is sent first would be ahead of the other every time.
      const raced = await race(pair % 2 === 0 ? codes : [...codes].reverse(), isOneToken);
      expect(lost).toContain(raced.find(({ status }) => status !== 200)?.status);
      winners.add(winnerOf(raced));
    }
    // A confirm with a code has one statement more to go, and may lose every time to one without.
    const mustWin = codes.every((code) => code !== null) ? codes : [];
    expect([...winners]).toEqual(expect.arrayContaining([...mustWin]));
  });
});

describe('ten simultaneous confirms with five codes and none', () => {
  it('each 200 with a code is one with the code that the provider will be sent', async () => {
    app.mode = 'authorize';
    for (let round = 0; round < 10; round += 1) {
      intent = await anIntent(bed, partner);
      const raced = await race([...CODES, null, null, ...CODES.slice(0, 3)], false);
      const { intentId, status, amountUsdCents } = await findExisting(bed, intent.intentId);
      expect(status).toBe('authorized');
      await bed.funds.debit(intentId, amountUsdCents);
      const { qrPayload = null } = (await recordSent(bed, intentId)) ?? {};
      const withCode = raced.filter(({ code }) => code !== null);
      expect(new Set(answered(withCode, 200).map(({ code }) => code))).toEqual(
        new Set(qrPayload === null ? [] : [qrPayload]),
      );
      expect(answered(withCode, 409)).toEqual(withCode.filter(({ code }) => code !== qrPayload));
      expect(answered(raced, 200).length + answered(raced, 409).length).toBe(10);
    }
  });
});
