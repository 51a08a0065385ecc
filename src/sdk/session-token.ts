// Session tokens and the key set that verifies them (protocol 4): minted by the partner's backend, one per checkout.
import type { CryptoKey, JWK } from 'jose';
import type { Corridor } from '../domain/corridor';
import { hasCharacters } from '../domain/characters';
import { KEY_SET_KEYS_MAX, KID_MAX_CHARACTERS, TOKEN_LIFETIME_MAX_SECONDS } from '../domain/limits';
import { faultOfRsa } from '../signing/rsa-fault';
import { makeUniqueText, systemNow, type Now } from './clock';

const AUDIENCE = 'service-checkout';
const ALGORITHM = 'RS256';

/** An ES module alone: imported so, it loads from CommonJS on every Node 20 (decision 117). */
const loadJose = () => import('jose');

/** The claim `service:kyc_attestation` (protocol 4.3). */
export interface KycAttestation {
  /** Anything but true is refused (decision 9). */
  readonly verified: boolean;
  /** How you identified the user, such as `document`; never empty. */
  readonly method: string;
  readonly verifiedAt: Date;
}

/** The claim `service:sanctions_attestation` (protocol 4.3). */
export interface SanctionsAttestation {
  /** Anything but true is refused (decision 9). */
  readonly clean: boolean;
  readonly screenedAt: Date;
}

export interface SessionTokenInput {
  /** "Issuer URL … Must match the partner's registered key-set URL": that URL, or it without `/.well-known/jwks.json`. */
  readonly issuer: string;
  /** The key's `kid` in your published key set. */
  readonly kid: string;
  /** RSA private key, PKCS #8 PEM (`-----BEGIN PRIVATE KEY-----`). */
  readonly privateKeyPem: string;
  /** "Partner's user id, opaque to the service." */
  readonly subject: string;
  /** The intent as created: a token with another amount or corridor is refused. */
  readonly intent: {
    readonly intentId: string;
    readonly amountUsdCents: number;
    readonly corridor: Corridor;
  };
  readonly kycAttestation: KycAttestation;
  readonly sanctionsAttestation: SanctionsAttestation;
  /** Seconds; 600 unless told, which is the most: "`exp` must be at most `iat + 600`". */
  readonly lifetimeSeconds?: number;
  readonly now?: Now;
}

/**
 * Mints a token that authorizes one intent, for one use: "`jti`: Unique token id. Used once only." Each call draws a fresh `jti`;
 * when a session has expired, mint another.
 *
 * @throws RangeError when the lifetime is not 1 to 600 whole seconds
 * @throws TypeError when the PEM is not an RSA private key in PKCS #8
 * @example
 * ```ts
 * const token = await mintSessionToken({
 *   issuer: 'https://partner.example/.well-known/jwks.json',
 *   kid: '2024-q1',
 *   privateKeyPem,
 *   subject: 'user-4711',
 *   intent,
 *   kycAttestation: { verified: true, method: 'document', verifiedAt },
 *   sanctionsAttestation: { clean: true, screenedAt },
 * });
 * ```
 */
export async function mintSessionToken(input: SessionTokenInput): Promise<string> {
  const issuedAt = Math.floor((input.now ?? systemNow)().getTime() / 1_000);
  const lifetime = checkedLifetime(input.lifetimeSeconds ?? TOKEN_LIFETIME_MAX_SECONDS);
  const { SignJWT } = await loadJose();
  return new SignJWT(serviceClaims(input))
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT', kid: input.kid })
    .setIssuer(input.issuer)
    .setAudience(AUDIENCE)
    .setSubject(input.subject)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetime)
    .setJti(makeUniqueText())
    .sign(await privateKey(input.privateKeyPem));
}

async function privateKey(pem: string): Promise<CryptoKey> {
  const { importPKCS8 } = await loadJose();
  try {
    return await importPKCS8(pem, ALGORITHM);
  } catch (cause) {
    throw new TypeError('The private key is not RSA in PKCS #8 PEM.', { cause });
  }
}

function checkedLifetime(seconds: number): number {
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= TOKEN_LIFETIME_MAX_SECONDS) {
    return seconds;
  }
  throw new RangeError(
    `A session token lives 1 to ${String(TOKEN_LIFETIME_MAX_SECONDS)} whole seconds.`,
  );
}

function serviceClaims(input: SessionTokenInput): Record<string, unknown> {
  const { intent, kycAttestation, sanctionsAttestation } = input;
  return {
    'service:intent_id': intent.intentId,
    'service:amount_usd_cents': intent.amountUsdCents,
    'service:corridor': intent.corridor,
    'service:kyc_attestation': {
      verified: kycAttestation.verified,
      method: kycAttestation.method,
      verified_at: kycAttestation.verifiedAt.toISOString(),
    },
    'service:sanctions_attestation': {
      clean: sanctionsAttestation.clean,
      screened_at: sanctionsAttestation.screenedAt.toISOString(),
    },
  };
}

export interface PublicKey {
  /** "A `kid` equal to the token header's `kid`." 1 to 256 characters, and no other key's. */
  readonly kid: string;
  /** RSA public key of 2048 to 8192 bits with an exponent of at least 65537, SPKI PEM (`-----BEGIN PUBLIC KEY-----`). */
  readonly publicKeyPem: string;
}

/** One member of a key set, as published. */
export interface PublishedKey {
  readonly kty: 'RSA';
  readonly use: 'sig';
  readonly alg: 'RS256';
  readonly kid: string;
  readonly n: string;
  readonly e: string;
}

export interface KeySet {
  readonly keys: readonly PublishedKey[];
}

/**
 * Makes the document to serve at `https://<partner-domain>/.well-known/jwks.json`: "at least one active key having `use` = `sig`,
 * `kty` = `RSA`, `alg` = `RS256`, a `kid` …, and the RSA modulus `n` and exponent `e`. During rotation both old and new keys are published for
 * 14 days." What the service would pass over in silence is refused here.
 *
 * @throws TypeError when a PEM is not a public RSA key (a private one is refused, never published)
 * @throws RangeError when a key's modulus or exponent is not as {@link PublicKey} says, when a `kid` is too long, empty, or that
 *   of two keys, and when there are more than 100 keys
 * @example
 * ```ts
 * const document = await keySet([{ kid: '2024-q1', publicKeyPem }]);
 * response.setHeader('content-type', 'application/json').end(JSON.stringify(document));
 * ```
 */
export async function keySet(publicKeys: readonly PublicKey[]): Promise<KeySet> {
  checkKids(publicKeys.map(({ kid }) => kid));
  return { keys: await Promise.all(publicKeys.map(publishedKey)) };
}

function checkKids(kids: readonly string[]): void {
  if (kids.length > KEY_SET_KEYS_MAX) {
    throw new RangeError(`the service reads ${String(KEY_SET_KEYS_MAX)} keys of a set`);
  }
  for (const [index, kid] of kids.entries()) {
    if (!hasCharacters(kid, KID_MAX_CHARACTERS)) {
      throw new RangeError(`a kid has 1 to ${String(KID_MAX_CHARACTERS)} characters`);
    }
    if (kids.indexOf(kid) !== index) throw new RangeError(`${kid} is the kid of two keys`);
  }
}

async function publishedKey({ kid, publicKeyPem }: PublicKey): Promise<PublishedKey> {
  const { n = '', e = '' } = await publicJwk(publicKeyPem).catch((cause: unknown) => {
    throw new TypeError(`${kid} is not an RSA public key in SPKI PEM`, { cause });
  });
  const fault = faultOfRsa({ n, e });
  if (fault !== undefined) throw new RangeError(`the service would not use ${kid}: ${fault}`);
  return { kty: 'RSA', use: 'sig', alg: ALGORITHM, kid, n, e };
}

async function publicJwk(pem: string): Promise<JWK> {
  const { exportJWK, importSPKI } = await loadJose();
  return exportJWK(await importSPKI(pem, ALGORITHM, { extractable: true }));
}
