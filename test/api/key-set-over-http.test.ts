// The whole way of a session token: the key set is really fetched from the partner's registered address, over HTTP.
import { createServer, type Server } from 'node:http';
import type { PaymentIntent } from '../../src/domain/payment-intent';
import { createKeySetFetcher } from '../../src/http/key-set-fetcher';
import { createOutbound, type Outbound } from '../../src/http/outbound';
import { listen } from '../../src/main/listen';
import { startApp, type TestApp } from '../support/app';
import { anIntent, openTestBed, times, type TestBed } from '../support/builders';
import { aPartner, aSessionKey, mintToken, type TestPartner } from '../support/partner';

let bed: TestBed;
let outbound: Outbound;
let app: TestApp;
let partner: TestPartner;
let intent: PaymentIntent;
let keyServer: Server;
let fetches = 0;
let published: readonly object[] = [];

beforeAll(async () => {
  bed = await openTestBed();
  outbound = createOutbound();
  keyServer = createServer((_, response) => {
    fetches += 1;
    response.end(JSON.stringify({ keys: published }));
  });
  const port = await listen(keyServer, 0, '127.0.0.1');
  partner = await aPartner(bed, {
    jwksUrl: `http://127.0.0.1:${String(port)}/.well-known/jwks.json`,
  });
  published = partner.jwks.keys;
  app = await startApp(bed, { keySets: createKeySetFetcher(outbound) });
  intent = await anIntent(bed, partner);
});
afterAll(async () => {
  await app.close();
  await outbound.close();
  keyServer.close();
  await bed.close();
});

const get = (token: string) =>
  app.send({
    path: `/v1/payment_intents/${intent.intentId}`,
    headers: { Authorization: `Bearer ${token}` },
  });

it('a token is verified with the published key, fetched once for twenty requests', async () => {
  const replies = await times(20, () => get(mintToken(partner, intent)));
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  expect(fetches).toBe(1);
});

it('a rotated key works with its first token, and the old one beside it', async () => {
  const next = aSessionKey(`${partner.partnerId}-2`);
  published = [...partner.jwks.keys, next.jwk];
  expect(await get(mintToken({ ...partner, ...next }, intent))).toMatchObject({ status: 200 });
  expect(await get(mintToken(partner, intent))).toMatchObject({ status: 200 });
  expect(fetches).toBe(2);
});

it('an address in the token itself is never fetched', async () => {
  const port = (keyServer.address() as { readonly port: number }).port;
  const elsewhere = `http://127.0.0.1:${String(port)}/elsewhere`;
  const before = fetches;
  const replies = [
    await get(mintToken(partner, intent, { iss: elsewhere })),
    await get(mintToken(partner, intent, {}, { jku: elsewhere, x5u: elsewhere })),
  ];
  expect(replies.map(({ status }) => status)).toEqual([401, 200]);
  expect(fetches).toBe(before);
});
