// Session tokens that were used, and who may answer for them (architecture, section 3, rule R2; decision 6).
import type { IntentId, PartnerId } from '../domain/ids';
import type { PaymentIntent } from '../domain/intents/payment-intent';
import type { TokenUse } from '../domain/intents/transition';

/**
 * `unanswered`: it authorized its intent, but no request has answered 200 for it yet. `elsewhere`: it was used for another
 * intent than the one that was looked at.
 */
export type TokenState = 'unused' | 'unanswered' | 'answered' | 'elsewhere';

export interface TokenLookup {
  readonly intent: PaymentIntent | undefined;
  readonly token: TokenState;
  /** The version of the partner directory at that moment: what verified the token may have been older (decision 112). */
  readonly directoryVersion: number;
}

export interface ConfirmAnswer {
  /**
   * `accepted`: this request answers 200 for the token. `spent`: another one did. `undecided`: the rows do not tell yet.
   * `conflict`: the intent's state does not allow it. `other_payload`: it was authorized with another scanned code, or
   * without one; the token is as it was.
   */
  readonly answer: 'accepted' | 'spent' | 'undecided' | 'conflict' | 'other_payload';
  readonly intent: PaymentIntent;
}

export interface SessionTokenStore {
  /** The intent and the use of the token, in one read. A token counts as used by any intent of the partner. */
  look(intentId: IntentId, partnerId: PartnerId, jtiHash: string): Promise<TokenLookup>;
  /**
   * Keeps the scanned code for the transition that the token may authorize. Idempotent. The first code of a token counts,
   * and false says that this is another. Never log it.
   */
  keepPayload(intentId: IntentId, token: TokenUse, qrPayload: string): Promise<boolean>;
  /**
   * Decides a confirm from the rows alone. Of any number of simultaneous calls for one token exactly one is `accepted`.
   * On an `authorized` intent a fresh token is recorded and accepted without anything being executed again (decision 5).
   * @param qrPayload the scanned code that came with it, which must be the one that the intent was authorized with
   */
  answerConfirm(
    intentId: IntentId,
    token: TokenUse,
    requestId: string,
    qrPayload?: string,
  ): Promise<ConfirmAnswer | undefined>;
}
