// Rule R2 for a confirm with a scanned code: what the rows answer when it is, or is not, the code that the intent was authorized
// with (decision 20).
import type { PaymentIntent } from '../../src/domain/payment-intent';
import type { TokenUse } from '../../src/domain/transition';
import { anIntent, aTokenUse, times } from '../support/builders';
import { aThaiCode } from '../support/qr-codes';
import { withDatabase, withPartner } from '../support/brackets';

const [CODE, OTHER] = [aThaiCode({ '54': '1' }), aThaiCode({ '54': '2' })];

const bed = withDatabase({ poolSize: 16 });
const partner = withPartner(bed);

async function authorizedWith(code: string | undefined, token = aTokenUse(partner)) {
  const intent = await anIntent(bed, partner);
  const { intentId } = intent;
  if (code !== undefined) await bed.tokens.keepPayload(intentId, token, code);
  const authorize = { intentId, from: 'created', event: 'authorize', actor: 'payer' } as const;
  await bed.intents.transition({ ...authorize, token });
  return intent;
}

const answer = async ({ intentId }: PaymentIntent, token: TokenUse, code?: string) =>
  (await bed.tokens.answerConfirm(intentId, token, 'req_1', code))?.answer;

describe('a code that comes with a confirm', () => {
  it.each([
    [CODE, CODE, 'accepted'],
    [CODE, undefined, 'accepted'],
    [CODE, OTHER, 'other_payload'],
    [undefined, undefined, 'accepted'],
    [undefined, CODE, 'other_payload'],
  ])('after %s, with a fresh token, %s: %s', async (first, second, expected) => {
    const intent = await authorizedWith(first);
    expect(await answer(intent, aTokenUse(partner), second)).toBe(expected);
  });

  it.each([
    [CODE, CODE, 'accepted'],
    [CODE, undefined, 'accepted'],
    [CODE, OTHER, 'other_payload'],
    [undefined, CODE, 'other_payload'],
  ])('after %s, with the token that authorized, %s: %s', async (first, second, expected) => {
    const token = aTokenUse(partner);
    const intent = await authorizedWith(first, token);
    expect(await answer(intent, token, second)).toBe(expected);
  });

  it('and differs uses up no token: whoever sent the first still gets its answer', async () => {
    const [token, fresh] = [aTokenUse(partner), aTokenUse(partner)];
    const intent = await authorizedWith(CODE, token);
    expect(await answer(intent, token, OTHER)).toBe('other_payload');
    expect(await answer(intent, fresh, OTHER)).toBe('other_payload');
    expect([await answer(intent, fresh, CODE), await answer(intent, token, CODE)]).toEqual([
      'accepted',
      'accepted',
    ]);
  });

  it('whose token was answered for changes nothing: the token is spent', async () => {
    const token = aTokenUse(partner);
    const { intentId } = await authorizedWith(CODE, token);
    await bed.tokens.answerConfirm(intentId, token, 'req_1', CODE);
    for (const code of [CODE, OTHER, undefined]) {
      const later = await bed.tokens.answerConfirm(intentId, token, 'req_2', code);
      expect(later?.answer).toBe('spent');
    }
  });

  it('is undecided while nothing is authorized', async () => {
    const [intent, token] = [await anIntent(bed, partner), aTokenUse(partner)];
    await bed.tokens.keepPayload(intent.intentId, token, CODE);
    expect(await answer(intent, token, CODE)).toBe('undecided');
  });

  it('is a conflict like any other on an intent that is settled', async () => {
    const intent = await anIntent(bed, partner, { status: 'captured' });
    expect(await answer(intent, aTokenUse(partner), CODE)).toBe('conflict');
  });

  it('is answered for by exactly one of thirty concurrent callers', async () => {
    const token = aTokenUse(partner);
    const { intentId } = await authorizedWith(CODE, token);
    const answers = await times(30, (index) =>
      bed.tokens.answerConfirm(intentId, token, `req_${String(index)}`, index % 2 ? CODE : OTHER),
    );
    const given = answers.map((one) => one?.answer);
    expect(given.filter((one) => one === 'accepted')).toHaveLength(1);
    expect(given.filter((one, index) => one === 'accepted' && index % 2 === 0)).toEqual([]);
    const refused = given.filter((one) => one === 'spent' || one === 'other_payload');
    expect(refused).toHaveLength(29);
  });
});
