// Verifies request signatures (protocol 3.4). All checks of the list always run, so every rejection
// takes the same work; the first that fails is the reason in the log. The atomic insert that
// records the nonce decides whether it was seen before (decision 12).
import { TIMESTAMP_SKEW_MAX_SECONDS } from '../../src/domain/limits';
import { parseRfc3339Utc } from '../../src/domain/rfc3339';
import type { Clock } from '../../src/ports/clock';
import type { SignedCaller } from '../../src/ports/partners';
import { canonicalRequest } from '../../src/signing/canonical-request';
import { isEqualInConstantTime, signCanonicalRequest } from '../../src/signing/hmac';
import type { Directory, KnownKey, KnownPartners } from './directory';
import { isDummyAddress, DUMMY_SECRET } from './dummy-credentials';
import { rejectSignature, type KindRejection, type SignatureRejection } from './rejections';

export interface SignedRequest {
  readonly method: string;
  /** The path as sent, without its query string (decision 11). */
  readonly path: string;
  readonly body: Buffer;
  readonly address: string | undefined;
  /** Set if the request is rejected for the kind of its credentials (decision 7). */
  readonly wrongKind: KindRejection | undefined;
  /** All values of each signing header; more than one is rejected (decision 24). */
  readonly headers: Readonly<Record<SigningHeader, readonly string[]>>;
}

export const SIGNING_HEADERS = [
  'x-service-key-id',
  'x-service-timestamp',
  'x-service-nonce',
  'x-service-signature',
] as const;
export type SigningHeader = (typeof SIGNING_HEADERS)[number];

interface Evidence {
  readonly request: SignedRequest;
  readonly key: KnownKey | undefined;
  readonly nowMs: number;
  readonly expectedSignature: string;
}

interface Check {
  readonly reason: SignatureRejection;
  readonly holds: (evidence: Evidence) => boolean;
}

const CHECKS: readonly Check[] = [
  // Protocol 3.1.
  { reason: 'header_missing_or_repeated', holds: hasEachHeaderOnce },
  // Step 1.
  { reason: 'source_address_not_registered', holds: isFromRegisteredAddress },
  // Step 2.
  { reason: 'key_unknown', holds: ({ key }) => key !== undefined },
  { reason: 'key_revoked', holds: isKeyActive },
  { reason: 'secret_not_opened', holds: ({ key }) => key?.secret() !== undefined },
  // Step 3.
  { reason: 'timestamp_not_within_5_minutes', holds: isTimestampNear },
  // Step 4: the insert that records the nonce decides whether it is new.
  { reason: 'nonce_malformed', holds: isNonceWellFormed },
  // Step 5.
  { reason: 'signature_wrong', holds: isSignatureRight },
];

/** @returns a function that throws DomainError `authentication_failed` when any check fails. */
export function createSignedRequestVerifier(directory: Directory, clock: Clock) {
  const check = (request: SignedRequest, { keys }: KnownPartners) => {
    const key = keys.get(header(request, 'x-service-key-id'));
    const expectedSignature = sign(request, key?.secret() ?? DUMMY_SECRET);
    const evidence = { request, key, nowMs: clock.now().getTime(), expectedSignature };
    const [failed] = CHECKS.filter(({ holds }) => !holds(evidence));
    return { key, reason: request.wrongKind ?? failed?.reason };
  };
  const verify = async (request: SignedRequest) => {
    const cached = await directory.cached();
    const verdict = check(request, cached);
    if (verdict.reason === undefined) return verdict;
    // The key or address may have been registered since the cache was filled: reject only on
    // current data (decision 112).
    const current = await directory.refreshed();
    return current === cached ? verdict : check(request, current);
  };
  return async (request: SignedRequest): Promise<SignedCaller> => {
    const { key, reason } = await verify(request);
    const keyId = header(request, 'x-service-key-id');
    if (reason !== undefined || key === undefined) {
      throw rejectSignature(reason ?? 'key_unknown', { keyId, partnerId: key?.partnerId });
    }
    return {
      partnerId: key.partnerId,
      keyId,
      address: request.address ?? '',
      nonce: header(request, 'x-service-nonce'),
      hasSecondLimit: key.hasSecondLimit,
    };
  };
}

/** The four headers of protocol 3.1. */
function hasEachHeaderOnce({ request }: Evidence): boolean {
  return SIGNING_HEADERS.every((name) => request.headers[name].length === 1);
}

/** Step 1. An unknown key has no address list, so this passes and step 2 rejects it. */
function isFromRegisteredAddress({ request, key }: Evidence): boolean {
  const isAllowed = key?.isAddressAllowed ?? isDummyAddress;
  const isRegistered = request.address !== undefined && isAllowed(request.address);
  return isRegistered || key === undefined;
}

/** Step 2. */
function isKeyActive({ key, nowMs }: Evidence): boolean {
  if (key === undefined || key.isRevoked) return false;
  return key.revokesAt === null || key.revokesAt.getTime() > nowMs;
}

/** Step 3. */
function isTimestampNear({ request, nowMs }: Evidence): boolean {
  const sentMs = parseRfc3339Utc(header(request, 'x-service-timestamp'));
  return sentMs !== undefined && Math.abs(nowMs - sentMs) <= TIMESTAMP_SKEW_MAX_SECONDS * 1_000;
}

/** Step 4, format only: the insert that records the nonce decides whether it was seen before. */
function isNonceWellFormed({ request }: Evidence): boolean {
  return /^[0-9a-f]{64}$/.test(header(request, 'x-service-nonce'));
}

/** Step 5. */
function isSignatureRight({ request, expectedSignature }: Evidence): boolean {
  return isEqualInConstantTime(expectedSignature, header(request, 'x-service-signature'));
}

function sign(request: SignedRequest, secret: string): string {
  const timestamp = header(request, 'x-service-timestamp');
  const nonce = header(request, 'x-service-nonce');
  return signCanonicalRequest(canonicalRequest({ ...request, timestamp, nonce }), secret);
}

function header(request: SignedRequest, name: SigningHeader): string {
  return request.headers[name][0] ?? '';
}
