// The world of the attacks on session tokens: a partner, an attacker who is one too, and a server that publishes their
// key sets, really fetched over HTTP. A fresh API for every test, so that no key set is remembered.
import { createServer, type RequestListener, type Server } from 'node:http';
import type { PaymentIntent } from '../../src/domain/payment-intent';
import { createKeySetFetcher } from '../../src/http/key-set-fetcher';
import { createOutbound, type Outbound } from '../../src/http/outbound';
import { listen } from '../../src/main/listen';
import { startApp, type Reply, type TestApp } from '../support/app';
import { anIntent, openTestBed, type TestBed } from '../support/builders';
import { aPartner, type TestPartner } from '../support/partner';

export interface TokenWorld {
  bed: TestBed;
  app: TestApp;
  outbound: Outbound;
  partner: TestPartner;
  /** Another partner, with good credentials of its own. */
  other: TestPartner;
  intent: PaymentIntent;
  keyServerUrl: string;
  /** The paths that were fetched since the test began. */
  fetched: string[];
  /** By path. */
  readonly published: Map<string, readonly object[]>;
  /** What the key server does instead of serving, while a test says so. */
  behaviour: RequestListener | undefined;
}

/** Brackets the tests of a file; the world is there while they run. */
export function inTokenWorld(): TokenWorld {
  const world = { published: new Map(), fetched: [] as string[] } as unknown as TokenWorld;
  let keyServer: Server;
  beforeAll(async () => {
    world.bed = await openTestBed();
    world.outbound = createOutbound();
    keyServer = createServer((request, response) => {
      const path = request.url ?? '';
      world.fetched.push(path);
      if (world.behaviour !== undefined) world.behaviour(request, response);
      else response.end(JSON.stringify({ keys: world.published.get(path) ?? [] }));
    });
    world.keyServerUrl = `http://127.0.0.1:${String(await listen(keyServer, 0, '127.0.0.1'))}`;
    world.partner = await aServedPartner(world, 'victim');
    world.other = await aServedPartner(world, 'attacker');
    world.intent = await anIntent(world.bed, world.partner);
  });
  afterAll(async () => {
    await world.outbound.close();
    keyServer.closeAllConnections();
    keyServer.close();
    await world.bed.close();
  });
  beforeEach(async () => {
    world.app = await startApp(world.bed, { keySets: createKeySetFetcher(world.outbound) });
    world.behaviour = undefined;
    world.fetched = [];
    for (const { partnerId, jwks } of [world.partner, world.other]) {
      world.published.set(keySetPath(partnerId), jwks.keys);
    }
  });
  afterEach(() => world.app.close());
  return world;
}

export function keySetPath(name: string): string {
  return `/${name}/.well-known/jwks.json`;
}

export function aServedPartner(
  { bed, keyServerUrl }: TokenWorld,
  name: string,
): Promise<TestPartner> {
  return aPartner(bed, { name, jwksUrl: `${keyServerUrl}${keySetPath(name)}` });
}

export function getWith({ app, intent }: TokenWorld, token: string): Promise<Reply> {
  return app.send({
    path: `/v1/payment_intents/${intent.intentId}`,
    headers: { Authorization: `Bearer ${token}` },
  });
}

export async function expectRefusal(
  world: TokenWorld,
  token: string,
  reason: string,
): Promise<void> {
  world.app.refusals.length = 0;
  expect(await getWith(world, token)).toMatchObject({
    status: 401,
    text: '{"error":"authentication_failed","message":"Authentication failed."}',
  });
  expect(world.app.refusals).toEqual([reason]);
}
