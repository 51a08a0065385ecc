// Minting session tokens and publishing keys with the SDK (protocol 4), verified with jose.
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { keySet, mintSessionToken, type SessionTokenInput } from '../../src/sdk';

const NOW = new Date('2025-01-15T10:30:00.900Z');
const NOW_SECONDS = 1_736_937_000;

function aKeyPair(modulusLength: number, publicExponent = 65_537) {
  return generateKeyPairSync('rsa', {
    modulusLength,
    publicExponent,
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
  it.each<[string, Partial<SessionTokenInput>]>([
    [
      'kycAttestation.verified',
      { kycAttestation: { verified: false, method: 'document', verifiedAt: NOW } },
    ],
    ['sanctionsAttestation.clean', { sanctionsAttestation: { clean: false, screenedAt: NOW } }],
  ])('makes no token where %s is not true', async (member, attested) => {
    const minting = mintSessionToken({ ...INPUT, ...attested });
    await expect(minting).rejects.toThrow(`${member} is not true, so the service rejects`);
  });

  it.each(['issuer', 'kid', 'subject'])('makes no token with an empty %s', async (member) => {
    const minting = mintSessionToken({ ...INPUT, [member]: '' });
    await expect(minting).rejects.toThrow(`${member} is empty: is its variable set?`);
  });

  it('signs RS256 with the kid in the header, and the published key verifies it', async () => {
    const { protectedHeader } = await verified(await mintSessionToken(INPUT));
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'k1' });
  });

  it('contains exactly the claims of protocol 4.2', async () => {
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

  it('makes a new jti each time', async () => {
    const tokens = await Promise.all([1, 2, 3].map(() => mintSessionToken(INPUT)));
    const ids = await Promise.all(tokens.map(async (token) => (await verified(token)).payload.jti));
    expect(new Set(ids).size).toBe(3);
  });

  it('has the requested lifetime', async () => {
    const { payload } = await verified(await mintSessionToken({ ...INPUT, lifetimeSeconds: 60 }));
    expect(payload.exp).toBe(NOW_SECONDS + 60);
  });

  it.each([0, 601, 1.5, Number.NaN])(
    'rejects a lifetime of %d seconds',
    async (lifetimeSeconds) => {
      const minting = mintSessionToken({ ...INPUT, lifetimeSeconds });
      await expect(minting).rejects.toThrow('lifetimeSeconds is not 1 to 600 whole seconds');
    },
  );

  it('rejects a private key in another format', async () => {
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

  it.each([
    [1024, 65_537, 'its modulus has 1024 bits, not 2048 to 8192'],
    [2047, 65_537, 'its modulus has 2047 bits, not 2048 to 8192'],
    [2048, 3, 'its exponent is not 65537, or more within 32 bits'],
  ])('rejects a key of %d bits with the exponent %d', async (bits, exponent, fault) => {
    const publishing = keySet([{ kid: 'k1', publicKeyPem: aKeyPair(bits, exponent).publicKey }]);
    await expect(publishing).rejects.toThrow(`the service would ignore key k1: ${fault}`);
  });

  // Generating such a key takes half a minute, so this one is only a number that cannot sign.
  it('rejects a key of more than 8192 bits', async () => {
    const n = Buffer.alloc(1_025, 0xff).toString('base64url');
    const key = createPublicKey({ key: { kty: 'RSA', n, e: 'AQAB' }, format: 'jwk' });
    const publicKeyPem = String(key.export({ type: 'spki', format: 'pem' }));
    await expect(keySet([{ kid: 'k1', publicKeyPem }])).rejects.toThrow(
      'its modulus has 8200 bits, not 2048 to 8192',
    );
  });

  const kids = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ kid: `k${String(n)}`, publicKeyPem: publicKey }));

  it('accepts a hundred keys, and a kid of 256 characters', async () => {
    const { keys } = await keySet([
      ...kids(99),
      { kid: '💡'.repeat(256), publicKeyPem: publicKey },
    ]);
    expect(keys).toHaveLength(100);
  });

  it.each([
    ['a hundred and one keys', kids(101), 'a key set has at most 100 keys'],
    ['a kid twice', [...kids(2), ...kids(1)], 'k0 is the kid of two keys'],
    ['an empty kid', [{ kid: '', publicKeyPem: publicKey }], 'a kid has 1 to 256 characters'],
    [
      'a kid of 257 characters',
      [{ kid: 'k'.repeat(257), publicKeyPem: publicKey }],
      'a kid has 1 to 256 characters',
    ],
  ])('rejects %s', async (_name, keys, message) => {
    await expect(keySet(keys)).rejects.toThrow(message);
  });

  it('rejects a key that is not RSA', async () => {
    const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;
    const publicKeyPem = String(curve.export({ type: 'spki', format: 'pem' }));
    const publishing = keySet([{ kid: 'k1', publicKeyPem }]);
    await expect(publishing).rejects.toThrow('k1 is not an RSA public key in SPKI PEM');
  });
});
