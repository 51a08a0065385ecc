// Only the signature check of an accepted token is cached (api/auth/session-token.ts). All other
// checks run each time the token is sent.
import { createPublicKey } from 'node:crypto';
import { createProver } from '../../../api/auth/session-token';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { createMemoryKeySets, startApp, type TestApp } from '../../support/app';
import { NOON, secondsAfter } from '../../support/clock';
import { withDatabase } from '../../support/brackets';
import { anIntent, move } from '../../support/builders';
import { aPartner, aSessionKey, mintToken, type TestPartner } from '../../support/payments/partner';

const bed = withDatabase();
let app: TestApp;
let partner: TestPartner;
let intent: PaymentIntent;
let keySets: ReturnType<typeof createMemoryKeySets>;

beforeEach(async () => {
  bed.clock.turnTo(NOON);
  partner = await aPartner(bed);
  keySets = createMemoryKeySets([partner]);
  app = await startApp(bed, { keySets });
  intent = await anIntent(bed, partner);
});
afterEach(() => app.close());

const statusOf = async (token: string) => (await app.get(intent, token)).status;

it('an accepted token is rejected once it has expired', async () => {
  const token = mintToken(partner, intent);
  expect(await statusOf(token)).toBe(200);
  bed.clock.turnTo(secondsAfter(NOON, 601));
  expect(await statusOf(token)).toBe(401);
  expect(app.rejections).toEqual(['not_valid_now']);
});

it('an accepted token is rejected once its key is no longer published', async () => {
  const token = mintToken(partner, intent);
  expect(await statusOf(token)).toBe(200);
  const next = aSessionKey('next');
  keySets.published.set(partner.jwks_url, { keys: [next.jwk] });
  // An unknown kid makes the service fetch the key set again.
  const { kid, privateKey } = next;
  expect(await statusOf(mintToken({ ...partner, kid, privateKey }, intent))).toBe(200);
  expect(await statusOf(token)).toBe(401);
  expect(app.rejections).toEqual(['kid_unknown']);
});

it('an accepted token is rejected once its kid belongs to another key', async () => {
  const token = mintToken(partner, intent);
  expect(await statusOf(token)).toBe(200);
  const { jwk } = aSessionKey(partner.kid);
  const next = aSessionKey('next');
  keySets.published.set(partner.jwks_url, { keys: [jwk, next.jwk] });
  const { kid, privateKey } = next;
  expect(await statusOf(mintToken({ ...partner, kid, privateKey }, intent))).toBe(200);
  expect(await statusOf(token)).toBe(401);
  expect(app.rejections).toEqual(['signature_wrong']);
});

it('an accepted token is rejected once its intent is settled', async () => {
  const token = mintToken(partner, intent);
  expect(await statusOf(token)).toBe(200);
  await move(bed, intent.intentId, 'cancel');
  expect(await statusOf(token)).toBe(401);
  expect(app.rejections).toEqual(['state_not_open']);
});

it('a token that differs in its last characters from an accepted one is rejected', async () => {
  const token = mintToken(partner, intent);
  expect(await statusOf(token)).toBe(200);
  const forged = `${token.slice(0, -4)}${token.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;
  expect(await statusOf(forged)).toBe(401);
});

describe('a token', () => {
  /**
   * Only a cached token returns the same object of parts again; a parsed one returns an equal
   * object.
   */
  async function isCached(token: string, isAccepted: boolean): Promise<boolean> {
    const { partnerId, issuer, jwks_url: jwksUrl } = partner;
    const limits = { kycMaxAgeSeconds: null, sanctionsMaxAgeSeconds: null, hasDayLimit: false };
    const shown = { returnSchemes: [], displayName: null, logoId: null };
    const issuers = new Map([[issuer, { partnerId, jwksUrl, ...limits, ...shown }]]);
    const key = createPublicKey(partner.privateKey);
    const prover = createProver({ findKey: () => Promise.resolve(key) });
    const prove = () => prover.prove(token, issuers);
    const proof = await prove();
    if (isAccepted) prover.cache(proof);
    return (await prove()).read === proof.read;
  }

  it('is cached if it was accepted, and not if it was rejected', async () => {
    const token = mintToken(partner, intent);
    await expect(isCached(token, true)).resolves.toBe(true);
    await expect(isCached(token, false)).resolves.toBe(false);
  });

  it('with a forged signature is never cached', async () => {
    const { privateKey } = aSessionKey(partner.kid);
    const forged = mintToken({ ...partner, privateKey }, intent);
    await expect(isCached(forged, true)).resolves.toBe(false);
  });
});
