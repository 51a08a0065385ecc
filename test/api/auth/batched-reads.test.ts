// Reads of several requests that one statement answers (decision 121): each request is verified on
// its own, and a hostile one cannot affect the others.
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { pathOf, type Reply } from '../../support/app';
import { withApi } from '../../support/brackets';
import { anIntent, aNonce, times } from '../../support/builders';
import { mintToken } from '../../support/payments/partner';

// With one trusted proxy the requests can set their own source address.
const { bed, app, partner } = withApi({ app: { settings: { trustedProxyHops: 1 } } });
let intents: PaymentIntent[];
beforeAll(async () => {
  intents = await times(20, () => anIntent(bed, partner));
});

const from = (address: string) => ({ 'X-Forwarded-For': address });
const readSigned = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  app.sendSigned(partner, { path, headers: { ...from('127.0.0.1'), ...headers } });
const statuses = (replies: readonly Reply[]) => replies.map(({ status }) => status);

/** Values that could break a statement, as far as a header or a path can contain them. */
const ODD = [
  ...["'", '"', '\\', '{}', '{"', ',', 'null', '\\x00', '%00', 'é', '${1}', 'a'.repeat(6_000)],
];

function oddRequests(intent: PaymentIntent, odd: string): readonly Promise<Reply>[] {
  const path = pathOf(intent);
  const readWith = (claims: Readonly<Record<string, unknown>>) =>
    app.get(intent, mintToken(partner, intent, claims));
  return [
    readSigned(path, { 'X-Service-Nonce': odd }),
    readSigned(path, { 'X-Service-Key-Id': odd }),
    readSigned(path, from(odd)),
    readSigned(path, from(`fe80::1%${odd}`)),
    readWith({ jti: '' }),
    readWith({ 'service:intent_id': `pi_${odd}` }),
    readWith({ iss: odd }),
  ];
}

it('returns the right intent to each request, among requests made to break SQL', async () => {
  const good = intents.flatMap((intent) => [
    readSigned(pathOf(intent)),
    app.get(intent, mintToken(partner, intent)),
    // This jti is odd but valid.
    app.get(intent, mintToken(partner, intent, { jti: `{"\\'${aNonce()}` })),
  ]);
  const [first] = intents;
  const bad = first === undefined ? [] : ODD.flatMap((odd) => oddRequests(first, odd));
  const nowhere = ODD.map((odd) =>
    readSigned(pathOf({ intentId: `pi_${encodeURIComponent(odd)}` })),
  );
  const answers = await Promise.all(good);
  for (const [index, { status, text }] of answers.entries()) {
    const intentId = intents[Math.floor(index / 3)]?.intentId;
    expect({ status, text }).toEqual({
      status: 200,
      text: expect.stringContaining(`"intent_id":"${String(intentId)}"`) as string,
    });
  }
  // A valid token whose intent id is malformed is answered 404.
  for (const status of statuses(await Promise.all(bad))) expect([401, 404]).toContain(status);
  expect(new Set(statuses(await Promise.all(nowhere)))).toEqual(new Set([404]));
});
