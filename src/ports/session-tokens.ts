// Used session tokens, and which request may answer for each (rule R2; decision 6).
import type { IntentId, PartnerId } from '../domain/ids';
import type { PaymentIntent } from '../domain/intents/payment-intent';
import type { TokenState, TokenUse } from '../domain/intents/transition';

export interface TokenLookup {
  readonly intent: PaymentIntent | undefined;
  readonly token: TokenState;
  /**
   * The directory's version in the same snapshot; the token may have been verified by an older one.
   */
  readonly directoryVersion: number;
}

export interface ConfirmAnswer {
  /**
   * `accepted`: this request answers 200 for the token. `spent`: another one did. `undecided`: the
   * rows do not show it yet. `conflict`: the intent's status does not allow it. `other_payload`:
   * the intent was authorized with another scanned code or with none; the token stays unused.
   */
  readonly answer: 'accepted' | 'spent' | 'undecided' | 'conflict' | 'other_payload';
  readonly intent: PaymentIntent;
}

export interface SessionTokenStore {
  /** Reads the intent and the use of the token in one snapshot. A token is unique per partner. */
  readToken(intentId: IntentId, partnerId: PartnerId, jtiHash: string): Promise<TokenLookup>;
  /**
   * Stores the scanned code for the transition that the token may authorize. Idempotent. Returns
   * false if the token has another code already: the first counts. Never log it.
   */
  storePayload(intentId: IntentId, token: TokenUse, qrPayload: string): Promise<boolean>;
  /**
   * Decides the answer to a confirm from the rows alone. Of any number of simultaneous calls for
   * one token exactly one is `accepted`. For an `authorized` intent a fresh token is recorded and
   * accepted, and nothing is executed again (decision 5).
   * @param qrPayload the confirm's scanned code, which must be the one that the intent was
   * authorized with
   */
  answerConfirm(
    intentId: IntentId,
    token: TokenUse,
    requestId: string,
    qrPayload?: string,
  ): Promise<ConfirmAnswer | undefined>;
}
