// The signature of a token that was taken is remembered (api/auth/token-proof.ts), and nothing but the signature: whatever else
// holds for a token is judged each time it is shown.
import { createPublicKey } from 'node:crypto';
import { createProver } from '../../../api/auth/token-proof';
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

it('a token that was taken is refused once it has expired', async () => {
  const token = mintToken(partner, intent);
  expect(await statusOf(token)).toBe(200);
  bed.clock.turnTo(secondsAfter(NOON, 601));
  expect(await statusOf(token)).toBe(401);
  expect(app.rejections).toEqual(['not_valid_now']);
});

it('a token that was taken is refused once its key is published no more', async () => {
  const token = mintToken(partner, intent);
  expect(await statusOf(token)).toBe(200);
  const next = aSessionKey('next');
  keySets.published.set(partner.jwks_url, { keys: [next.jwk] });
  // An unknown kid has the key set fetched again.
  const { kid, privateKey } = next;
  expect(await statusOf(mintToken({ ...partner, kid, privateKey }, intent))).toBe(200);
  expect(await statusOf(token)).toBe(401);
  expect(app.rejections).toEqual(['kid_unknown']);
});

it('a token that was taken is refused once its kid stands for another key', async () => {
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

it('a token that was taken is refused once its intent is settled', async () => {
  const token = mintToken(partner, intent);
  expect(await statusOf(token)).toBe(200);
  await move(bed, intent.intentId, 'cancel');
  expect(await statusOf(token)).toBe(401);
  expect(app.rejections).toEqual(['state_not_open']);
});

it('a token that differs in its last character from one that was taken is refused', async () => {
  const token = mintToken(partner, intent);
  expect(await statusOf(token)).toBe(200);
  const forged = `${token.slice(0, -4)}${token.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;
  expect(await statusOf(forged)).toBe(401);
});

describe('of a token', () => {
  /** The parts of one that is remembered are those that were read before, and not equal ones. */
  async function isRemembered(token: string, isAccepted: boolean): Promise<boolean> {
    const { partnerId, issuer, jwks_url: jwksUrl } = partner;
    const ages = { kycMaxAgeSeconds: null, sanctionsMaxAgeSeconds: null };
    const issuers = new Map([[issuer, { partnerId, jwksUrl, ...ages, returnSchemes: [] }]]);
    const key = createPublicKey(partner.privateKey);
    const prover = createProver({ findKey: () => Promise.resolve(key) });
    const prove = () => prover.prove({ token, isSignedToo: false }, issuers);
    const proof = await prove();
    if (isAccepted) prover.remember(proof);
    return (await prove()).unverified === proof.unverified;
  }

  it('that was taken it is remembered, and of none that was refused', async () => {
    const token = mintToken(partner, intent);
    await expect(isRemembered(token, true)).resolves.toBe(true);
    await expect(isRemembered(token, false)).resolves.toBe(false);
  });

  it('that nobody signed it is not, whoever asks for it', async () => {
    const { privateKey } = aSessionKey(partner.kid);
    const forged = mintToken({ ...partner, privateKey }, intent);
    await expect(isRemembered(forged, true)).resolves.toBe(false);
  });
});
