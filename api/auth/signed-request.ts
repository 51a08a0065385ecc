// Request signing (spec, "Request signing", "Verification order"): five checks, in order; read the list downward. All of
// them run whatever the first ones say, so that refusals differ in work by the look-up of the key alone; the first that
// fails is the reason in the log. Step 4 is recorded by whoever handles the request, by one atomic insert (decision 12).
import { DomainError } from '../../src/domain/errors';
import { TIMESTAMP_SKEW_MAX_SECONDS } from '../../src/domain/limits';
import type { Clock } from '../../src/ports/clock';
import type { PartnerDirectory, SigningKey } from '../../src/ports/partner-directory';
import type { SignedCaller } from '../../src/ports/replay-guard';
import { canonicalRequest } from '../../src/signing/canonical-request';
import { isEqualInConstantTime, signCanonicalRequest } from '../../src/signing/hmac';
import { createExpiringCache } from './expiring-cache';
import { createAddressMatcher } from './source-address';
import { parseRfc3339Utc } from './timestamp';

export interface SignedRequest {
  readonly method: string;
  /** The path as sent, without its query string (decision 11). */
  readonly path: string;
  readonly body: Buffer;
  readonly address: string | undefined;
  /** Each signing header's values; more than one is a refusal (decision 24). */
  readonly headers: Readonly<Record<SigningHeader, readonly string[]>>;
}

export const SIGNING_HEADERS = [
  'x-service-key-id',
  'x-service-timestamp',
  'x-service-nonce',
  'x-service-signature',
] as const;
export type SigningHeader = (typeof SIGNING_HEADERS)[number];

export type VerifySignedRequest = (request: SignedRequest) => Promise<SignedCaller>;

interface KnownKey extends SigningKey {
  readonly isAddressAllowed: (address: string) => boolean;
}

interface Evidence {
  readonly request: SignedRequest;
  readonly key: KnownKey | undefined;
  readonly nowMs: number;
  readonly expectedSignature: string;
}

interface Check {
  readonly reason: string;
  readonly holds: (evidence: Evidence) => boolean;
}

const CHECKS: readonly Check[] = [
  { reason: 'header_missing_or_repeated', holds: hasEachHeaderOnce },
  { reason: 'source_address_not_registered', holds: isFromRegisteredAddress },
  { reason: 'key_unknown_or_revoked', holds: isKeyActive },
  { reason: 'timestamp_not_within_5_minutes', holds: isTimestampNear },
  { reason: 'nonce_malformed', holds: isNonceWellFormed },
  { reason: 'signature_wrong', holds: isSignatureRight },
];

const KEY_KEPT_MS = 5_000;
const KEYS_KEPT_MAX = 10_000;
/** Signs for keys that do not exist: an unknown key costs a signature too. Its look-up still differs (decision 12). */
const NOBODYS_SECRET =
  'a secret that no key has, since issued ones are 32 random bytes in base64url';

/** @returns a function that throws DomainError `authentication_failed` when any check fails. */
export function createSignedRequestVerifier(
  partners: PartnerDirectory,
  clock: Clock,
): VerifySignedRequest {
  const findKey = createExpiringCache<KnownKey>({
    clock,
    keptMs: KEY_KEPT_MS,
    entriesMax: KEYS_KEPT_MAX,
    load: async (keyId) => {
      const key = await partners.findSigningKey(keyId);
      return key && { ...key, isAddressAllowed: createAddressMatcher(key.allowedNetworks) };
    },
  });
  return async (request) => {
    const key = await findKey(header(request, 'x-service-key-id'));
    const expectedSignature = sign(request, key?.secret ?? NOBODYS_SECRET);
    const evidence = { request, key, nowMs: clock.now().getTime(), expectedSignature };
    const failed = CHECKS.map((check) => (check.holds(evidence) ? undefined : check.reason));
    const reason = failed.find((name) => name !== undefined);
    if (reason !== undefined || key === undefined)
      throw refused(reason ?? 'key_unknown_or_revoked');
    return {
      partnerId: key.partnerId,
      keyId: key.keyId,
      address: request.address ?? '',
      nonce: header(request, 'x-service-nonce'),
    };
  };
}

export function refused(reason: string): DomainError {
  return new DomainError('authentication_failed', { reason });
}

/** "Signed requests carry four required headers." */
function hasEachHeaderOnce({ request }: Evidence): boolean {
  return SIGNING_HEADERS.every((name) => request.headers[name].length === 1);
}

/** Step 1: "Source IP is on the partner's registered list." */
function isFromRegisteredAddress({ request, key }: Evidence): boolean {
  return (
    key !== undefined && request.address !== undefined && key.isAddressAllowed(request.address)
  );
}

/** Step 2: "Key id exists, is active and is not revoked." */
function isKeyActive({ key, nowMs }: Evidence): boolean {
  return key !== undefined && (key.revokesAt === null || key.revokesAt.getTime() > nowMs);
}

/** Step 3: "Timestamp within 5 minutes of server time." */
function isTimestampNear({ request, nowMs }: Evidence): boolean {
  const sentMs = parseRfc3339Utc(header(request, 'x-service-timestamp'));
  return sentMs !== undefined && Math.abs(nowMs - sentMs) <= TIMESTAMP_SKEW_MAX_SECONDS * 1_000;
}

/** Step 4, its form; that it was not seen is judged by the insert that records it. */
function isNonceWellFormed({ request }: Evidence): boolean {
  return /^[0-9a-f]{64}$/.test(header(request, 'x-service-nonce'));
}

/** Step 5: "Recompute the signature and compare in constant time." */
function isSignatureRight({ request, expectedSignature }: Evidence): boolean {
  return isEqualInConstantTime(expectedSignature, header(request, 'x-service-signature'));
}

function sign(request: SignedRequest, secret: string): string {
  return signCanonicalRequest(
    canonicalRequest({
      method: request.method,
      path: request.path,
      timestamp: header(request, 'x-service-timestamp'),
      nonce: header(request, 'x-service-nonce'),
      body: request.body,
    }),
    secret,
  );
}

function header(request: SignedRequest, name: SigningHeader): string {
  return request.headers[name][0] ?? '';
}
