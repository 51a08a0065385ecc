// Spec, "Session JWT", as a partner mints it and publishes its keys; verified with jose and with Node's own crypto.
import { generateKeyPairSync } from 'node:crypto';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { keySet, mintSessionToken, type SessionTokenInput } from '../../src/sdk';

const NOW = new Date('2025-01-15T10:30:00.900Z');
const NOW_SECONDS = 1_736_937_000;

function aKeyPair(modulusLength: number) {
  return generateKeyPairSync('rsa', {
    modulusLength,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
}

const { publicKey, privateKey } = aKeyPair(2048);

const INPUT: SessionTokenInput = {
  issuer: 'https://acme.example/.well-known/jwks.json',
  kid: 'k1',
  privateKeyPem: privateKey,
  subject: 'user-4711',
  intent: { intentId: 'pi_1', amountUsdCents: 1250, corridor: 'vn_qrpay' },
  kycAttestation: { verified: true, method: 'document', verifiedAt: NOW },
  sanctionsAttestation: { clean: true, screenedAt: NOW },
  now: () => NOW,
};

async function verified(token: string) {
  const keys = await keySet([{ kid: 'k1', publicKeyPem: publicKey }]);
  const options = { algorithms: ['RS256'], audience: 'service-checkout', currentDate: NOW };
  return jwtVerify(token, createLocalJWKSet({ keys: [...keys.keys] }), options);
}

describe('mintSessionToken', () => {
  it('signs RS256 with the kid in the header, and the published key verifies it', async () => {
    const { protectedHeader } = await verified(await mintSessionToken(INPUT));
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'k1' });
  });

  it('holds every claim of the specification, and nothing else', async () => {
    const { payload } = await verified(await mintSessionToken(INPUT));
    expect(payload).toEqual({
      iss: 'https://acme.example/.well-known/jwks.json',
      aud: 'service-checkout',
      sub: 'user-4711',
      iat: NOW_SECONDS,
      exp: NOW_SECONDS + 600,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
      'service:intent_id': 'pi_1',
      'service:amount_usd_cents': 1250,
      'service:corridor': 'vn_qrpay',
      'service:kyc_attestation': {
        verified: true,
        method: 'document',
        verified_at: '2025-01-15T10:30:00.900Z',
      },
      'service:sanctions_attestation': { clean: true, screened_at: '2025-01-15T10:30:00.900Z' },
    });
  });

  it('draws a fresh jti each time', async () => {
    const tokens = await Promise.all([1, 2, 3].map(() => mintSessionToken(INPUT)));
    const ids = await Promise.all(tokens.map(async (token) => (await verified(token)).payload.jti));
    expect(new Set(ids).size).toBe(3);
  });

  it('lives as long as it is told', async () => {
    const { payload } = await verified(await mintSessionToken({ ...INPUT, lifetimeSeconds: 60 }));
    expect(payload.exp).toBe(NOW_SECONDS + 60);
  });

  it.each([0, 601, 1.5, Number.NaN])('refuses to live %d seconds', async (lifetimeSeconds) => {
    const minting = mintSessionToken({ ...INPUT, lifetimeSeconds });
    await expect(minting).rejects.toThrow('A session token lives 1 to 600 whole seconds.');
  });

  it('refuses a private key of another form', async () => {
    const minting = mintSessionToken({ ...INPUT, privateKeyPem: publicKey });
    await expect(minting).rejects.toThrow('The private key is not RSA in PKCS #8 PEM.');
  });
});

describe('keySet', () => {
  it('publishes kty, use, alg, kid, n and e of each key, and no private member', async () => {
    const { keys } = await keySet([
      { kid: 'k1', publicKeyPem: publicKey },
      { kid: 'k2', publicKeyPem: publicKey },
    ]);
    expect(keys.map(({ kid }) => kid)).toEqual(['k1', 'k2']);
    expect(Object.keys(keys[0] ?? {}).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
    expect(keys[0]).toMatchObject({ kty: 'RSA', use: 'sig', alg: 'RS256', e: 'AQAB' });
  });

  it('never publishes a private key', async () => {
    const publishing = keySet([{ kid: 'k1', publicKeyPem: privateKey }]);
    await expect(publishing).rejects.toThrow('k1 is not an RSA public key in SPKI PEM');
  });

  it('refuses a key of fewer than 2048 bits', async () => {
    const short = aKeyPair(1024).publicKey;
    const publishing = keySet([{ kid: 'k1', publicKeyPem: short }]);
    await expect(publishing).rejects.toThrow('k1 has fewer than 2048 bits');
  });

  it('refuses a key that is not RSA', async () => {
    const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;
    const publicKeyPem = String(curve.export({ type: 'spki', format: 'pem' }));
    const publishing = keySet([{ kid: 'k1', publicKeyPem }]);
    await expect(publishing).rejects.toThrow('k1 is not an RSA public key in SPKI PEM');
  });
});
