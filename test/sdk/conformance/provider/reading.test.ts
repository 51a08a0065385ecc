// The kit reads each answer as the engine does: what it calls paid, the engine captures, and what
// it calls not_found lets the engine send again.
import type { Outbound, OutboundReply } from '../../../../src/http/outbound';
import type { PayoutOrder } from '../../../../src/ports/payout-provider';
import { createHttpProvider } from '../../../../src/providers/http/provider';
import { readingOf } from '../../../../src/sdk/conformance/provider/reading';

const ORDER: PayoutOrder = {
  ...({ key: 'pi_1:payout', amountUsdCents: 100, corridor: 'th_qrpay' } as const),
  ...{ qrPayload: null, local: null, token: null, reference: null, payer: 'payer' },
};
const LOCAL = { currency: 'THB', amount: 3_450 };
const PAID = { key: ORDER.key, status: 'paid', amount_usd_cents: 100, local: LOCAL };
const UNKNOWN_KEY = { error: 'not_found', key: ORDER.key };
const REFUSAL = { error: 'compliance', key: ORDER.key };
const JSON_TYPE = { 'content-type': 'application/json' };

const reply = (status: number, body: unknown, headers: object = {}): OutboundReply => ({
  ...{ status, headers: { ...JSON_TYPE, ...headers }, isCut: false },
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
});

/** The engine's outcome in the words of the kit. */
async function engineReads(given: OutboundReply, asked: 'order' | 'query'): Promise<string> {
  const outbound: Outbound = {
    send: () => Promise.resolve(given),
    close: () => Promise.resolve(),
  };
  const provider = createHttpProvider(outbound, { baseUrl: 'http://127.0.0.1:9', token: 't' });
  const limits = { isInTime: () => true, timeoutMs: 1 };
  const { outcome } = await (asked === 'order'
    ? provider.pay(ORDER, limits)
    : provider.find(ORDER));
  return outcome === 'unknown' ? 'unclear' : outcome;
}

function kitReads(given: OutboundReply, asked: 'order' | 'query'): string {
  const reading = readingOf(given, ORDER.key, asked);
  return reading.kind === 'payout' ? reading.status : reading.kind;
}

const REPLIES: readonly [string, OutboundReply][] = [
  ...(['paid', 'pending', 'declined', 'returned', 'PAID'] as const).map(
    (status) => [status, reply(200, { ...PAID, status })] as [string, OutboundReply],
  ),
  ['201', reply(201, PAID)],
  ['203', reply(203, PAID)],
  ['a reference', reply(200, { ...PAID, reference: 'TX-1' })],
  ['an empty reference', reply(200, { ...PAID, reference: '' })],
  ['a long reference', reply(200, { ...PAID, reference: 'x'.repeat(129) })],
  ['no local amount', reply(200, { ...PAID, local: null })],
  ['half a satang', reply(200, { ...PAID, local: { ...LOCAL, amount: 0.5 } })],
  ['dollars', reply(200, { ...PAID, local: { ...LOCAL, currency: 'USD' } })],
  ['text as an amount', reply(200, { ...PAID, amount_usd_cents: '100' })],
  ['too large an amount', reply(200, { ...PAID, amount_usd_cents: 100_000_001 })],
  ['another key', reply(200, { ...PAID, key: 'pi_2:payout' })],
  ['a list', reply(200, [PAID])],
  ['no JSON', reply(200, '<h1>')],
  ['HTML', reply(200, PAID, { 'content-type': 'text/html' })],
  ['an encoding', reply(200, PAID, { 'content-encoding': 'gzip' })],
  ['a cut body', { ...reply(200, PAID), isCut: true }],
  ['a member twice', reply(200, `{"status":"paid",${JSON.stringify(PAID).slice(1)}`)],
  ['an unknown key', reply(404, UNKNOWN_KEY)],
  ['an unknown key with more', reply(404, { ...UNKNOWN_KEY, a: 1 })],
  ['an unknown key from a cache', reply(404, UNKNOWN_KEY, { age: '0' })],
  ['another unknown key', reply(404, { ...UNKNOWN_KEY, key: 'pi_2:payout' })],
  ['a refusal', reply(422, REFUSAL)],
  ['a refusal from a cache', reply(422, REFUSAL, { age: '0' })],
  ['a refusal with an unlisted code', reply(422, { ...REFUSAL, error: 'no' })],
  ['a refusal without the key', reply(422, { error: 'compliance' })],
  ['a 400 like a refusal', reply(400, REFUSAL)],
  ['a 500', reply(500, PAID)],
];

describe.each(['order', 'query'] as const)('the answer to an %s', (asked) => {
  it.each(REPLIES)('is read alike: %s', async (_what, given) => {
    expect(kitReads(given, asked)).toBe(await engineReads(given, asked));
  });
});

it('is paid or not_found in some of these', () => {
  const read = REPLIES.map(([, given]) => kitReads(given, 'query'));
  expect(new Set(read)).toEqual(
    new Set(['paid', 'pending', 'declined', 'returned', 'not_found', 'unclear']),
  );
});

it('does not count from a cache, where the engine would read a payout', () => {
  expect(kitReads(reply(200, PAID, { age: '1' }), 'query')).toBe('unclear');
});
