// The partners: their signing keys, registered addresses and token issuers, read as a whole
// (decision 112); their limits, and their logos.
import type { LocalAmount } from '../domain/money';
import type { IntentId, PartnerId } from '../domain/ids';
import type { PaymentIntent } from '../domain/intents/payment-intent';
import type { TokenState, TokenUse } from '../domain/intents/transition';

export interface SigningKey {
  readonly keyId: string;
  readonly partnerId: PartnerId;
  /** Unseals the secret, the string whose UTF-8 bytes key the HMAC. Never log it. */
  readonly openSecret: () => string;
  /** CIDR blocks the partner's requests may come from. */
  readonly allowedNetworks: readonly string[];
  /** Revoked by an operator, or marked so after `revokesAt` when the next key was issued. */
  readonly isRevoked: boolean;
  /** From this instant the key authenticates no more; null if no rotation has begun. */
  readonly revokesAt: Date | null;
  /** Whether the intents that the partner may create a second have a limit (decision 139). */
  readonly hasSecondLimit: boolean;
}

export interface TokenIssuer {
  readonly partnerId: PartnerId;
  /** The registered key-set address: the only one ever fetched (decision 8). */
  readonly jwksUrl: string;
  /** Schemes of the partner's apps to which the checkout may return (decision 28). */
  readonly returnSchemes: readonly string[];
  /** How old an attestation may be; null is any age (decision 9). */
  readonly kycMaxAgeSeconds: number | null;
  readonly sanctionsMaxAgeSeconds: number | null;
  /** Whether the cents that may be authorized a day have a limit. */
  readonly hasDayLimit: boolean;
  /** The name that payers see; null shows none (decision 144). */
  readonly displayName: string | null;
  /** Names the logo, and reveals nothing about it; null without one. */
  readonly logoId: string | null;
}

export interface DirectorySnapshot {
  /** Changes with every change of the directory. */
  readonly version: number;
  /** By key id; those of this environment, revoked keys included. */
  readonly keys: ReadonlyMap<string, SigningKey>;
  /** By the exact `iss` that selects the partner; those of this environment. */
  readonly issuers: ReadonlyMap<string, TokenIssuer>;
}

export interface PartnerDirectory {
  /** @throws DomainError `unavailable` */
  readVersion(): Promise<number>;
  /** Sees every commit before the call. @throws DomainError `unavailable` */
  read(): Promise<DirectorySnapshot>;
}

/** The statements that create and authorize enforce the limits. */
export interface PartnerLimits {
  /**
   * Seconds until the next day begins, by the clock of Postgres in UTC, if the limit of the
   * intent's partner leaves too little of today for its amount; otherwise undefined, also where
   * the intent is not `created` any more.
   */
  untilDayAllows(intentId: IntentId): Promise<number | undefined>;
}

/** The logos that the checkout shows. */
export interface PartnerLogos {
  /**
   * The PNG; undefined if no partner of this environment has a logo with that id.
   * @param logoId a UUID
   * @throws DomainError `unavailable`
   */
  read(logoId: string): Promise<Buffer | undefined>;
}

// Fetches a partner's published key set (protocol 4.5; decision 110).

export interface KeySetFetcher {
  /**
   * Fetches the JSON at a registered key-set URL, bounded in time and size, without redirects.
   * @throws Error if that fails; the message names the cause for the log
   */
  fetchKeySet(jwksUrl: string): Promise<unknown>;
}

// Nonces of signed requests, each used once (protocol 3.4; decision 12).

/** A request with a valid signature. Its handler must record the nonce exactly once. */
export interface SignedCaller {
  readonly partnerId: PartnerId;
  readonly keyId: string;
  /** The source address. IPv4-mapped IPv6 is written as IPv4. */
  readonly address: string;
  /** 64 lowercase hex characters. */
  readonly nonce: string;
  /** Whether the intents that the partner may create a second have a limit. */
  readonly hasSecondLimit?: boolean;
}

/**
 * `key_withdrawn`: the key is revoked, and `address_withdrawn`: the address is not registered,
 * although a cache said otherwise.
 */
export type NonceClaim = 'claimed' | 'seen' | 'key_withdrawn' | 'address_withdrawn';

export interface ReplayGuard {
  /**
   * Records the nonce in one atomic insert if it is new and key, environment and address still
   * hold. Of any number of equal requests exactly one gets `claimed`; reject the request on any
   * other result.
   */
  claimNonce(caller: SignedCaller): Promise<NonceClaim>;
}

// Used session tokens, and which request may answer for each (rule R2; decision 6).

export interface TokenLookup {
  readonly intent: PaymentIntent | undefined;
  readonly token: TokenState;
  /**
   * The directory's version in the same snapshot; the token may have been verified by an older one.
   */
  readonly directoryVersion: number;
  /** Why no payment of the intent's corridor and partner may begin; null where it may. */
  readonly closed: Closed | null;
}

/** What operators have closed (decision 158). */
export type Closed = 'corridor_closed' | 'partner_suspended';

export interface ConfirmAnswer {
  /**
   * `accepted`: this request answers 200 for the token. `spent`: another one did. `undecided`: the
   * rows do not show it yet. `conflict`: the intent's status does not allow it. `other_payload`:
   * the intent was authorized with another scanned code or with none; the token stays unused.
   */
  readonly answer: 'accepted' | 'spent' | 'undecided' | 'conflict' | 'other_payload';
  readonly intent: PaymentIntent;
}

/** What came with a confirm. */
export interface ConfirmPayload {
  readonly qrPayload: string;
  /** The amount in the code, if it has one. */
  readonly local?: LocalAmount | null | undefined;
  readonly quoteId?: string | undefined;
  /** What the payer was shown of the quote, as on the wire. */
  readonly shown?: object | undefined;
}

/**
 * `other_payload`: the token has another code or quote. `quote_unknown`: the quote is not of this
 * intent and code. `shown_differs`: it says something else. `quote_expired`: no transition can
 * authorize with it any more. `not_created`: nothing was stored, and the rows decide.
 */
export type StoredPayload =
  'stored' | 'other_payload' | 'quote_unknown' | 'shown_differs' | 'quote_expired' | 'not_created';

export interface SessionTokenStore {
  /** Reads the intent and the use of the token in one snapshot. A token is unique per partner. */
  readToken(intentId: IntentId, partnerId: PartnerId, jtiHash: string): Promise<TokenLookup>;
  /**
   * Stores the scanned code for the transition that the token may authorize, with its quote.
   * Idempotent. The first code and quote of a token count, until that quote has expired. Never log
   * them.
   */
  storePayload(
    intentId: IntentId,
    token: TokenUse,
    payload: ConfirmPayload,
  ): Promise<StoredPayload>;
  /**
   * Decides the answer to a confirm from the rows alone. Of any number of simultaneous calls for
   * one token exactly one is `accepted`. For an `authorized` intent a fresh token is recorded and
   * accepted, and nothing is executed again (decision 5).
   * @param payload the confirm's scanned code and quote, which must be those that the intent was
   * authorized with
   */
  answerConfirm(
    intentId: IntentId,
    token: TokenUse,
    requestId: string,
    payload?: Pick<ConfirmPayload, 'qrPayload' | 'quoteId'>,
  ): Promise<ConfirmAnswer | undefined>;
}
