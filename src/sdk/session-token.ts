// Mints session tokens, one per checkout, and builds the key set that verifies them (protocol 4).
import type { CryptoKey } from 'jose';
import type { Corridor } from '../corridors/names';
import { hasCharacters } from '../domain/characters';
import { KEY_SET_KEYS_MAX, KID_MAX_CHARACTERS, TOKEN_LIFETIME_MAX_SECONDS } from '../domain/limits';
import { faultOfRsa } from '../signing/rsa-fault';
import { makeUniqueText, systemNow, type Now } from './clock';
import { present } from './present';

const AUDIENCE = 'service-checkout';
const ALGORITHM = 'RS256';

/** A dynamic import loads jose, an ES module, from CommonJS on every Node 20 (decision 117). */
const loadJose = () => import('jose');

/** The claim `service:kyc_attestation` (protocol 4.3). */
export interface KycAttestation {
  /** The service rejects a token where this is not true (decision 9). */
  readonly verified: boolean;
  /** How you identified the user, such as `document`. Not empty. */
  readonly method: string;
  readonly verifiedAt: Date;
}

/** The claim `service:sanctions_attestation` (protocol 4.3). */
export interface SanctionsAttestation {
  /** The service rejects a token where this is not true. */
  readonly clean: boolean;
  readonly screenedAt: Date;
}

export interface SessionTokenInput {
  /** Your registered key-set URL, with or without `/.well-known/jwks.json`. */
  readonly issuer: string;
  /** The `kid` of the private key's public half in your published key set. */
  readonly kid: string;
  /** RSA private key, PKCS #8 PEM (`-----BEGIN PRIVATE KEY-----`). */
  readonly privateKeyPem: string;
  /** Your id of the user. The service does not interpret it. */
  readonly subject: string;
  /** The intent as created. The service rejects a token with another amount or corridor. */
  readonly intent: {
    readonly intentId: string;
    readonly amountUsdCents: number;
    readonly corridor: Corridor;
  };
  readonly kycAttestation: KycAttestation;
  readonly sanctionsAttestation: SanctionsAttestation;
  /** 1 to 600 whole seconds: "`exp` must be at most `iat + 600`". Default: 600. */
  readonly lifetimeSeconds?: number;
  readonly now?: Now;
}

/**
 * Mints a token (RS256) that authorizes one intent once: "`jti`: Unique token id. Used once only."
 * Each call makes a new `jti`. When a session has expired, mint another token.
 *
 * @throws RangeError when the lifetime is not 1 to 600 whole seconds
 * @throws TypeError when the PEM is not an RSA private key in PKCS #8, a text is empty, or the user
 *   is not verified or not clean: the service would reject the token
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
  requireAttested(input);
  const lifetime = checkedLifetime(input.lifetimeSeconds ?? TOKEN_LIFETIME_MAX_SECONDS);
  const { SignJWT } = await loadJose();
  return new SignJWT(serviceClaims(input))
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT', kid: present('kid', input.kid) })
    .setIssuer(present('issuer', input.issuer))
    .setAudience(AUDIENCE)
    .setSubject(present('subject', input.subject))
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetime)
    .setJti(makeUniqueText())
    .sign(await privateKey(input.privateKeyPem));
}

function requireAttested({ kycAttestation, sanctionsAttestation }: SessionTokenInput): void {
  const isWrong = (what: string) =>
    new TypeError(`${what} is not true, so the service rejects the token: check the user first`);
  if (!kycAttestation.verified) throw isWrong('kycAttestation.verified');
  if (!sanctionsAttestation.clean) throw isWrong('sanctionsAttestation.clean');
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
    `lifetimeSeconds is not 1 to ${String(TOKEN_LIFETIME_MAX_SECONDS)} whole seconds`,
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
  /** The `kid` of your token headers: 1 to 256 characters, unique in the set. */
  readonly kid: string;
  /**
   * RSA public key of 2048 to 8192 bits with an exponent of at least 65537, SPKI PEM
   * (`-----BEGIN PUBLIC KEY-----`).
   */
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
 * Builds the document to serve at `https://<partner-domain>/.well-known/jwks.json`. "During
 * rotation both old and new keys are published for 14 days." This throws for keys that the service
 * would silently ignore.
 *
 * @throws TypeError when a PEM is not a public RSA key; a private key is never published
 * @throws RangeError when modulus or exponent are not as {@link PublicKey} says, when a `kid` is
 *   empty, too long or used twice, or when there are more than 100 keys
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
    throw new RangeError(`a key set has at most ${String(KEY_SET_KEYS_MAX)} keys`);
  }
  for (const [index, kid] of kids.entries()) {
    if (!hasCharacters(kid, KID_MAX_CHARACTERS)) {
      throw new RangeError(`a kid has 1 to ${String(KID_MAX_CHARACTERS)} characters`);
    }
    if (kids.indexOf(kid) !== index) throw new RangeError(`${kid} is the kid of two keys`);
  }
}

async function publishedKey({ kid, publicKeyPem }: PublicKey): Promise<PublishedKey> {
  const { exportJWK, importSPKI } = await loadJose();
  const imported = importSPKI(publicKeyPem, ALGORITHM, { extractable: true });
  const { n = '', e = '' } = await imported.then(exportJWK).catch((cause: unknown) => {
    throw new TypeError(`${kid} is not an RSA public key in SPKI PEM`, { cause });
  });
  const fault = faultOfRsa({ n, e });
  if (fault !== undefined) throw new RangeError(`the service would ignore key ${kid}: ${fault}`);
  return { kty: 'RSA', use: 'sig', alg: ALGORITHM, kid, n, e };
}
