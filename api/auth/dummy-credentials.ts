// What is computed with when a credential names nobody, so that its rejection costs the same as that of somebody's
// (architecture, section 4, below the decisions: "the same … amount of work whatever its cause").
import { createPublicKey } from 'node:crypto';
import { parseIntentId, parsePartnerId, type IntentId, type PartnerId } from '../../src/domain/ids';
import { createAddressMatcher } from './source-address';

/** Signs for keys that do not exist. Issued secrets are 32 random bytes in base64url, so it is none of them. */
export const DUMMY_SECRET = 'a secret that no key has, of the length of one';

/** Looked through for keys that do not exist: an address block that is nobody's (RFC 5737). */
export const isDummyAddress = createAddressMatcher(['192.0.2.0/24']);

/** Read in place of segments that are none, so that what is no token costs the reading of one. */
export const DUMMY_HEADER = Buffer.from('{"alg":"RS256","typ":"JWT","kid":"nobody"}');
export const DUMMY_CLAIMS = Buffer.from(
  JSON.stringify({
    iss: 'https://nobody.example',
    aud: 'service-checkout',
    sub: 'nobody',
    iat: 0,
    exp: 600,
    jti: '00000000-0000-0000-0000-000000000000',
    'service:intent_id': `pi_${'0'.repeat(26)}`,
    'service:amount_usd_cents': 1,
    'service:corridor': 'th_qrpay',
    'service:kyc_attestation': {
      verified: false,
      method: 'none',
      verified_at: '1970-01-01T00:00:00Z',
    },
    'service:sanctions_attestation': { clean: false, screened_at: '1970-01-01T00:00:00Z' },
  }),
);

/** Verified in place of what is no token at all: well-formed, and signed by nobody. */
export const DUMMY_TOKEN = [DUMMY_HEADER, DUMMY_CLAIMS, Buffer.alloc(256, 1)]
  .map((segment) => segment.toString('base64url'))
  .join('.');

const NOBODYS_MODULUS =
  'nBAEPBEtqfKcyyi4O_XRFWytVKdzalouTkwFrdohz_jv8xDKJTFtZmMCi64S7oYkYkAIqLURXwUgexVAmWcVLqFDssqSg0XCRyxfZCn1aq5IrijU4XPCbBZZ' +
  'vJBcy2Z19bJ1RpquV_9LWjvXqcwtVdpOSpM1P3eyJLTwN7Ub51t_B4KttMpQYsx3yhm5n0Mf7k_A6Q_faAfabbR5ID5V1N7YZM1eFatuvNXh5pJGCdhU64E0' +
  'HlGLdzp3MHZ-eRaZnaZO8JCy1a86J5VW_9j9Gls2Np7mrg5WBhynHrI3isKsyzotjNW5ELvK2BykCRyLL0n9CBbYb8qtofuTDWdfJQ';

/** Verifies for keys that are not published: a public key whose private half was thrown away. */
export const DUMMY_KEY = createPublicKey({
  key: { kty: 'RSA', n: NOBODYS_MODULUS, e: 'AQAB' },
  format: 'jwk',
});

/** Looked up in place of what is no intent and no token: never made, since its time is 1970. */
export const DUMMY_INTENT: IntentId = known(parseIntentId(`pi_${'0'.repeat(26)}`));
export const DUMMY_PARTNER: PartnerId = known(parsePartnerId('nobody'));
export const DUMMY_JTI_HASH = '0'.repeat(64);

function known<Id>(id: Id | undefined): Id {
  if (id === undefined) throw new Error('not an id');
  return id;
}
