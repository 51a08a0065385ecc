// Decision 20 with real races: of simultaneous confirms with several codes, the provider gets the
// code of the confirm that was answered 200.
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

/** Confirms with all these codes at once, with one token or with one each. */
function race(codes: readonly Code[], isOneToken: boolean): Promise<Raced[]> {
  const token = mintToken(partner, intent);
  return times(codes.length, async (index) => {
    const code = codes[index] ?? null;
    const own = isOneToken ? token : mintToken(partner, intent);
    const { status } = await app.confirm(intent, own, code ?? {});
    return { code, status };
  });
}

/**
 * Expects exactly one 200, and that the provider got its code. For a 200 without a code the
 * provider may have got that of the other confirm.
 */
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
  ] as const)('with %s: one is 200, and the provider gets its code', async (...parts) => {
    const [, codes, isOneToken, lost] = parts;
    const winners = new Set<Code>();
    for (let pair = 0; pair < PAIRS; pair += 1) {
      intent = await anIntent(bed, partner);
      // Alternate the order, because the request that is sent first would always win.
      const raced = await race(pair % 2 === 0 ? codes : [...codes].reverse(), isOneToken);
      expect(lost).toContain(raced.find(({ status }) => status !== 200)?.status);
      winners.add(winnerOf(raced));
    }
    // A confirm with a code needs one more statement, so it may always lose to one without.
    const mustWin = codes.every((code) => code !== null) ? codes : [];
    expect([...winners]).toEqual(expect.arrayContaining([...mustWin]));
  });
});

describe('ten simultaneous confirms with five codes and none', () => {
  it('are 200 only with the code that the provider will get, or without one', async () => {
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
