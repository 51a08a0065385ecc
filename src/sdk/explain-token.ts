// Says why the service rejects a session token: its 401 does not (protocol 8.3).
import { acceptedIssuers } from '../domain/issuers';
import {
  explainChecks,
  proveToken,
  type TokenExplanation,
  type TokenReason,
} from '../signing/explain-token';
import { readKeySet, type PublishedKeys } from '../signing/published-keys';
import { isMalformed, type SessionClaims } from '../signing/token-claims';
import { systemNow, type Now } from './clock';
import type { Intent } from './intent';

export interface ExplainTokenInput {
  /** The session token, as behind `Bearer `. The result contains none of its signature. */
  readonly token: string;
  /** Your registered key-set URL. */
  readonly jwksUrl: string;
  /** The document at that URL, such as `await (await fetch(jwksUrl)).json()`. */
  readonly keySet: unknown;
  /** The intent as create or GET returned it. Without it steps 9 to 11 are not known. */
  readonly intent?: Intent;
  /** What the token is sent for: `read` is GET and opening the checkout. Default: `confirm`. */
  readonly purpose?: 'read' | 'confirm';
  /** Your clock. Default: the system clock. */
  readonly now?: Now;
}

/** The partner itself. Only the operator knows its greatest ages of attestations. */
const YOU = { partnerId: 'you', kycMaxAgeSeconds: null, sanctionsMaxAgeSeconds: null };

const OF_INTENT: readonly TokenReason[] = [
  'issuer_of_another_partner',
  'state_not_open',
  'amount_differs',
  'corridor_differs',
];

/**
 * Runs the service's own checks over a token, in its order, and names the first that fails, with
 * the claim, what is expected and what was found. Only the service knows whether a `jti` was used
 * and how old attestations may be, so these are not decided here. Sends nothing.
 *
 * @example
 * ```ts
 * const { failed } = await explainToken({ token, jwksUrl, keySet: published, intent });
 * if (failed) console.log(failed.step, failed.claim, failed.expected, failed.found);
 * ```
 */
export async function explainToken(input: ExplainTokenInput): Promise<TokenExplanation> {
  const issuers = new Map(acceptedIssuers(input.jwksUrl).map((issuer) => [issuer, YOU]));
  const keys = usableKeys(input.keySet);
  const proof = await proveToken(input.token, issuers, () => Promise.resolve(keys));
  const { read, issuer } = proof;
  return isMalformed(read) || issuer === undefined
    ? explainChecks({ proof, evidence: undefined })
    : explainChecks({ proof, ...factsFor(input, read.claims) });
}

function factsFor(input: ExplainTokenInput, claims: SessionClaims) {
  const { purpose = 'confirm', now = systemNow } = input;
  // The service looks up the intent of the token, so facts of another intent prove nothing.
  const intent = input.intent?.intentId === claims['service:intent_id'] ? input.intent : undefined;
  return {
    evidence: {
      claims,
      issuer: YOU,
      intent: intent && { ...intent, partnerId: YOU.partnerId },
      state: 'unused',
      purpose,
      nowSeconds: now().getTime() / 1_000,
    },
    pathIntentId: input.intent?.intentId,
    unknown: ['jti_used', ...(intent === undefined ? OF_INTENT : [])],
  } as const;
}

function usableKeys(keySet: unknown): PublishedKeys | undefined {
  try {
    return readKeySet(keySet);
  } catch {
    return undefined;
  }
}
