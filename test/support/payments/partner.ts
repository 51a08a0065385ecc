// A partner that signs requests and mints tokens. Written from the protocol, without src/signing
// and src/sdk, so that it can also make invalid requests.
import {
  constants,
  createHash,
  createHmac,
  createSign,
  generateKeyPairSync,
  randomUUID,
  type KeyObject,
} from 'node:crypto';
import type { PartnerId } from '../../../src/domain/ids';
import { parsePartnerId } from '../../../src/domain/ids';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { createPartner, type OnboardedPartner } from '../../../src/ops/partners/create';
import { setPartner } from '../../../src/ops/partners/set';
import type { SecretTools } from '../../../src/ops/session';
import type { SignedCaller } from '../../../src/ports/partners';
import { NOON } from '../clock';

export interface TestPartner extends OnboardedPartner {
  readonly signing_secret: string;
  readonly partnerId: PartnerId;
  readonly kid: string;
  readonly privateKey: KeyObject;
  /** The key set at its address. */
  readonly jwks: { readonly keys: readonly object[] };
  /** A caller with a valid signature and a new nonce. */
  caller(overrides?: Partial<SignedCaller>): SignedCaller;
}

export interface TestPartnerOptions extends Limits {
  readonly name?: string;
  readonly allow?: readonly string[];
  /** Null: no endpoint. */
  readonly webhookUrl?: string | null;
  readonly jwksUrl?: string;
  readonly returnSchemes?: readonly string[];
  readonly env?: 'sandbox' | 'prod';
  readonly displayName?: string;
  /** A file. */
  readonly logo?: string;
}

/** The operator of changes whose operator does not matter. */
export const ANN = { actor: 'ann', reason: null };

let partnersMade = 0;

export async function aPartner(
  bed: SecretTools,
  options: TestPartnerOptions = {},
): Promise<TestPartner> {
  partnersMade += 1;
  const name = options.name ?? `partner-${String(partnersMade)}`;
  const onboarded = await createPartner(
    { database: bed.database, seal: bed.seal, now: NOON, operator: ANN },
    registrationOf(name, options),
  );
  const partnerId = parsePartnerId(onboarded.partner_id);
  if (partnerId === undefined) throw new Error(`not a partner id: ${onboarded.partner_id}`);
  const kid = `${name}-1`;
  // Made at its first use: most tests mint no token, and a key pair takes a tenth of a second.
  let made: ReturnType<typeof aSessionKey> | undefined;
  const key = () => (made ??= aSessionKey(kid));
  return {
    ...onboarded,
    signing_secret: onboarded.signing_secret ?? '',
    partnerId,
    kid,
    get privateKey() {
      return key().privateKey;
    },
    get jwks() {
      return { keys: [key().jwk] };
    },
    caller: (overrides) => ({
      partnerId,
      keyId: onboarded.key_id,
      address: '127.0.0.1',
      nonce: freshNonce(),
      hasSecondLimit: options.intentsPerSecond !== undefined,
      ...overrides,
    }),
  };
}

/** Sets limits as operators do; null removes one. */
export async function setLimits(
  { database, seal }: SecretTools,
  { partnerId }: TestPartner,
  limits: Limits,
): Promise<void> {
  const operator = { actor: 'ann', reason: 'a stolen key' };
  await setPartner({ database, seal }, { partnerId, ...limitsOf(limits) }, operator);
}

function registrationOf(name: string, options: TestPartnerOptions) {
  const { webhookUrl = `https://${name}.example/webhooks` } = options;
  return {
    name,
    jwksUrl: options.jwksUrl ?? `https://${name}.example/.well-known/jwks.json`,
    allow: options.allow ?? ['127.0.0.1/32', '::1/128'],
    ...(webhookUrl !== null && { webhookUrl }),
    returnScheme: options.returnSchemes ?? [],
    env: options.env ?? 'sandbox',
    displayName: options.displayName,
    logo: options.logo,
    ...{ kycMaxAge: 'none', sanctionsMaxAge: 'none' },
    ...limitsOf(options),
  };
}

interface Limits {
  readonly intentsPerSecond?: number | null;
  readonly usdCentsPerDay?: number | null;
}

/** As they are typed. */
function limitsOf({ intentsPerSecond, usdCentsPerDay }: Limits) {
  const typed = (limit: number | null | undefined) =>
    limit === undefined ? undefined : String(limit ?? 'none');
  return {
    intentsPerSecond: typed(intentsPerSecond),
    usdCentsPerDay: typed(usdCentsPerDay),
  };
}

/** An RSA key pair, with its public key as in a key set. */
export function aSessionKey(kid: string, modulusLength = 2048) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength });
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' };
  return { kid, privateKey, publicKey, jwk };
}

interface SignedParts {
  readonly method: string;
  readonly path: string;
  readonly body?: string | Buffer;
  readonly timestamp?: string;
  readonly nonce?: string;
}

/** The four signing headers (protocol 3.1). */
export function sign(
  partner: Pick<OnboardedPartner, 'key_id' | 'signing_secret'>,
  { method, path, body = '', timestamp = NOON.toISOString(), nonce = freshNonce() }: SignedParts,
): Record<string, string> {
  const digest = body.length === 0 ? '' : createHash('sha256').update(body).digest('hex');
  const canonical = [method, path, timestamp, nonce, digest].join('\n');
  return {
    'X-Service-Key-Id': partner.key_id,
    'X-Service-Timestamp': timestamp,
    'X-Service-Nonce': nonce,
    'X-Service-Signature': createHmac('sha256', partner.signing_secret ?? '')
      .update(canonical)
      .digest('base64'),
  };
}

export type Claims = Record<string, unknown>;

/** The claims of a valid token for the intent. */
export function claimsFor(partner: TestPartner, intent: PaymentIntent, mintedAt = NOON): Claims {
  const iat = Math.floor(mintedAt.getTime() / 1_000);
  return {
    iss: partner.issuer,
    aud: 'service-checkout',
    sub: 'user-4711',
    iat,
    exp: iat + 600,
    jti: randomUUID(),
    'service:intent_id': intent.intentId,
    'service:amount_usd_cents': intent.amountUsdCents,
    'service:corridor': intent.corridor,
    'service:kyc_attestation': {
      verified: true,
      method: 'document',
      verified_at: '2026-01-01T00:00:00Z',
    },
    'service:sanctions_attestation': { clean: true, screened_at: '2026-03-02T11:59:00Z' },
  };
}

/** A valid token for the intent, with claims or header members replaced; undefined removes one. */
export function mintToken(
  partner: TestPartner,
  intent: PaymentIntent,
  claims: Claims = {},
  header: Claims = {},
): string {
  return signToken(
    { alg: 'RS256', typ: 'JWT', kid: partner.kid, ...header },
    { ...claimsFor(partner, intent), ...claims },
    (text) => createSign('RSA-SHA256').update(text).sign(pkcs1(partner.privateKey)),
  );
}

/** A token with any header, claims and signature. */
export function signToken(
  header: Claims,
  claims: unknown,
  signText: (text: string) => Buffer,
): string {
  const text = [header, claims].map(encode).join('.');
  return `${text}.${signText(text).toString('base64url')}`;
}

function encode(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

function pkcs1(key: KeyObject) {
  return { key, padding: constants.RSA_PKCS1_PADDING };
}

function freshNonce(): string {
  return randomUUID().replaceAll('-', '').repeat(2);
}
