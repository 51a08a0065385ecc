// Reads that one statement answers together (decision 121), through the API: each is judged for itself, and nothing that one
// of them brings can harm the others.
import type { PaymentIntent } from '../../src/domain/payment-intent';
import { createMemoryKeySets, startApp, type Reply, type TestApp } from '../support/app';
import { anIntent, aNonce, openTestBed, times, type TestBed } from '../support/builders';
import { aPartner, claimsFor, mintToken, sign, type TestPartner } from '../support/partner';

const INTENTS = '/v1/payment_intents';

let bed: TestBed;
let app: TestApp;
let partner: TestPartner;
let intents: PaymentIntent[];

beforeAll(async () => {
  bed = await openTestBed();
  partner = await aPartner(bed);
  const keySets = createMemoryKeySets([partner]);
  // One hop is ours, so that a request says where it comes from.
  app = await startApp(bed, { keySets, settings: { trustedProxyHops: 1 } });
  intents = await times(20, () => anIntent(bed, partner));
});
afterAll(async () => {
  await app.close();
  await bed.close();
});

const pathOf = ({ intentId }: PaymentIntent) => `${INTENTS}/${intentId}`;
const from = (address: string) => ({ 'X-Forwarded-For': address });
const readSigned = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  app.sendSigned(partner, { path, headers: { ...from('127.0.0.1'), ...headers } });
const readByToken = (path: string, token: string) =>
  app.send({ path, headers: { Authorization: `Bearer ${token}` } });
const statuses = (replies: readonly Reply[]) => replies.map(({ status }) => status);

/** What a database could choke on, as far as a header or a path can carry it. */
const ODD = [
  "'",
  '"',
  '\\',
  '{}',
  '{"',
  ',',
  'null',
  '\\x00',
  '%00',
  'é',
  '${1}',
  'a'.repeat(6_000),
];

function oddRequests(intent: PaymentIntent, odd: string): readonly Promise<Reply>[] {
  const path = pathOf(intent);
  const claimed = (changed: Readonly<Record<string, unknown>>) =>
    mintToken(partner, intent, { ...claimsFor(partner, intent), ...changed });
  return [
    readSigned(path, { 'X-Service-Nonce': odd }),
    readSigned(path, { 'X-Service-Key-Id': odd }),
    readSigned(path, from(odd)),
    readSigned(path, from(`fe80::1%${odd}`)),
    readByToken(path, claimed({ jti: '' })),
    readByToken(path, claimed({ 'service:intent_id': `pi_${odd}` })),
    readByToken(path, claimed({ iss: odd })),
  ];
}

it('answers each its own intent, among requests that are made to break a statement', async () => {
  const good = intents.flatMap((intent) => [
    readSigned(pathOf(intent)),
    readByToken(pathOf(intent), mintToken(partner, intent)),
    // Odd, and nothing is wrong with it.
    readByToken(
      pathOf(intent),
      mintToken(partner, intent, { ...claimsFor(partner, intent), jti: `{"\\'${aNonce()}` }),
    ),
  ]);
  const [first] = intents;
  const bad = first === undefined ? [] : ODD.flatMap((odd) => oddRequests(first, odd));
  const nowhere = ODD.map((odd) => readSigned(`${INTENTS}/pi_${encodeURIComponent(odd)}`));
  const answers = await Promise.all(good);
  for (const [index, { status, text }] of answers.entries()) {
    const intentId = intents[Math.floor(index / 3)]?.intentId;
    expect({ status, text }).toEqual({
      status: 200,
      text: expect.stringContaining(`"intent_id":"${String(intentId)}"`) as string,
    });
  }
  // A valid token of what is no intent finds none.
  for (const status of statuses(await Promise.all(bad))) expect([401, 404]).toContain(status);
  expect(new Set(statuses(await Promise.all(nowhere)))).toEqual(new Set([404]));
});

it('answers one of fifty equal signed reads, and refuses the others', async () => {
  const [intent] = intents;
  const path = intent === undefined ? INTENTS : pathOf(intent);
  const headers = { ...sign(partner, { method: 'GET', path }), ...from('127.0.0.1') };
  const replies = await times(50, () => app.send({ path, headers }));
  expect(statuses(replies).sort()).toEqual([200, ...Array<number>(49).fill(401)]);
});
