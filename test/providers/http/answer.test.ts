// An answer that cannot be read names the member at fault, and no value of it.
import type { Outbound } from '../../../src/http/outbound';
import { createHttpProvider } from '../../../src/providers/http/provider';
import { IN_CENTS } from '../../support/payments/accounts';

const QUESTION = { key: 'pi_1:payout', amountUsdCents: 100, corridor: 'th_qrpay' } as const;
const PAYOUT = { key: QUESTION.key, status: 'paid', amount_usd_cents: 100 };
const UNCLEAR = "The provider's answer is unclear: its answer is not a";

function providerAnswering(body: unknown) {
  const headers = { 'content-type': 'application/json' };
  const reply = { status: 200, headers, body: Buffer.from(JSON.stringify(body)), isCut: false };
  const outbound: Outbound = {
    send: () => Promise.resolve(reply),
    close: () => Promise.resolve(),
  };
  return createHttpProvider(outbound, { baseUrl: 'http://127.0.0.1:9', token: 't' });
}

it.each([
  [{ ...PAYOUT, amount_usd_cents: '100' }, ' (amount_usd_cents)'],
  [{ ...PAYOUT, local: { currency: 'THB', amount: 0.5 } }, ' (local.amount)'],
  [[PAYOUT], ''],
])('names the member of a payout: %j', async (body, member) => {
  const outcome = await providerAnswering(body).find({ ...QUESTION, ...IN_CENTS });
  expect(outcome).toEqual({ outcome: 'unknown', cause: `${UNCLEAR} payout in JSON${member}` });
});

it('names the member of a quote', async () => {
  const provider = providerAnswering({ quote_id: 'q', payee: { name: 'A', name_from: 'code' } });
  const answer = await provider.inquire({ ...QUESTION, qrPayload: '', local: null });
  expect(answer).toEqual({ outcome: 'unknown', cause: `${UNCLEAR} quote in JSON (local)` });
});
