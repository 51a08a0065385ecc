// Dummy values for a missing key, token or row. Every rejection computes with real or dummy values,
// so its time does not tell the cause (protocol 8.3).
import { createPublicKey } from 'node:crypto';
import { parsePartnerId, type PartnerId } from '../../src/domain/ids';
import { DUMMY_CLAIMS, DUMMY_HEADER } from '../../src/signing/token-claims';
import { createAddressMatcher } from './source-address';

/** Used for unknown keys. No issued secret equals it: those are 32 random bytes in base64url. */
export const DUMMY_SECRET = 'a secret that no key has, of the length of one';

/** The address check for unknown keys, on a block reserved for documentation (RFC 5737). */
export const isDummyAddress = createAddressMatcher(['192.0.2.0/24']);

/** Verified instead of a malformed token. It is well-formed, and no key has signed it. */
export const DUMMY_TOKEN = [DUMMY_HEADER, DUMMY_CLAIMS, Buffer.alloc(256, 1)]
  .map((segment) => segment.toString('base64url'))
  .join('.');

const DUMMY_MODULUS =
  'nBAEPBEtqfKcyyi4O_XRFWytVKdzalouTkwFrdohz_jv8xDKJTFtZmMCi64S7oYkYkAIqLURXwUgexVAmWcVLqFD' +
  'ssqSg0XCRyxfZCn1aq5IrijU4XPCbBZZvJBcy2Z19bJ1RpquV_9LWjvXqcwtVdpOSpM1P3eyJLTwN7Ub51t_B4Kt' +
  'tMpQYsx3yhm5n0Mf7k_A6Q_faAfabbR5ID5V1N7YZM1eFatuvNXh5pJGCdhU64E0HlGLdzp3MHZ-eRaZnaZO8JCy' +
  '1a86J5VW_9j9Gls2Np7mrg5WBhynHrI3isKsyzotjNW5ELvK2BykCRyLL0n9CBbYb8qtofuTDWdfJQ';

/** The public key for unpublished `kid`s. Its private key was destroyed. */
export const DUMMY_KEY = createPublicKey({
  key: { kty: 'RSA', n: DUMMY_MODULUS, e: 'AQAB' },
  format: 'jwk',
});

/** Looked up instead of a rejected token. */
export const DUMMY_PARTNER: PartnerId = known(parsePartnerId('nobody'));
export const DUMMY_JTI_HASH = '0'.repeat(64);

function known<Id>(id: Id | undefined): Id {
  if (id === undefined) throw new Error('not an id');
  return id;
}
