// A refusal in our own protocol: this request made no order. Any other 4xx is unknown.
import { createProviderOutbound } from '../../../src/http/provider-outbound';
import type { PayoutOrder } from '../../../src/ports/payout-provider';
import { createHttpProvider } from '../../../src/providers/http/provider';
import { withServers } from '../../support/servers/counted-servers';
import { IN_CENTS } from '../../support/payments/accounts';

const ORDER: PayoutOrder = {
  ...({ key: 'pi_1:payout', amountUsdCents: 1_250, corridor: 'vn_qrpay' } as const),
  ...{ ...IN_CENTS, qrPayload: null },
};
const IN_TIME = { isInTime: () => true, timeoutMs: 5_000 };
const REFUSAL = { error: 'compliance', key: ORDER.key, message: 'not this payee' };
const JSON_TYPE = { 'content-type': 'application/json' };

const outbound = createProviderOutbound();
afterAll(() => outbound.close());
const servers = withServers();

async function answered(
  call: 'pay' | 'find',
  {
    status = 422,
    body = REFUSAL,
    headers = {},
  }: { status?: number; body?: object; headers?: object },
) {
  const { port } = await servers.http((_, response) => {
    response.writeHead(status, { ...JSON_TYPE, ...headers }).end(JSON.stringify(body));
  });
  const baseUrl = `http://127.0.0.1:${port}`;
  return createHttpProvider(outbound, { baseUrl, token: 'a credential' })[call](ORDER, IN_TIME);
}

it('with the key and a known code refuses the order', async () => {
  const outcome = await answered('pay', {});
  expect(outcome).toEqual({ outcome: 'refused', code: 'compliance' });
});

it.each([
  ['about another key', { body: { ...REFUSAL, key: 'pi_2:payout' } }],
  ['about no key', { body: { error: 'compliance' } }],
  ['with another error', { body: { ...REFUSAL, error: 'unprocessable' } }],
  ['of a gateway, in HTML', { headers: { 'content-type': 'text/html' } }],
  ['from a cache', { headers: { age: '0' } }],
  ['that is a 400', { status: 400 }],
  ['that is a 409', { status: 409 }],
])('a refusal %s is unknown', async (_what, answer) => {
  await expect(answered('pay', answer)).resolves.toMatchObject({ outcome: 'unknown' });
});

it('is unknown for a query', async () => {
  await expect(answered('find', {})).resolves.toMatchObject({ outcome: 'unknown' });
});
