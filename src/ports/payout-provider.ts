// The payout provider of one corridor (architecture, section 6). An answer counts only if it is
// certainly the provider's own and about this payout: complete, unambiguous by its media type, with
// the right key. Any other may come from a gateway, proxy or cache: its outcome is `unknown`, the
// provider is queried again, and nothing is guessed. An adapter translates and decides nothing:
// src/domain/payouts/permissions.ts says what each answer permits.
import type { Corridor } from '../corridors/names';
import type { LocalAmount } from '../domain/money';
import type { Abilities, FailureCode } from '../domain/payouts/permissions';

export interface PayoutOrder {
  /** `<intent_id>:payout`. The provider executes it at most once, even if it is sent repeatedly. */
  readonly key: string;
  readonly amountUsdCents: number;
  readonly corridor: Corridor;
  /** The scanned code, which names the payee (decision 20); null if there is none. Never log it. */
  readonly qrPayload: string | null;
}

/** A query needs no payee. */
export type PayoutQuestion = Omit<PayoutOrder, 'qrPayload'>;

/** What a provider says of a payment beside its status. A member that it does not say is null. */
export interface PayoutFacts {
  /** The provider's own id of the payment. */
  readonly reference: string | null;
  /** The cents that were ordered, as the provider repeats them. */
  readonly orderedUsdCents: number | null;
  /** What the payee gets. */
  readonly local: LocalAmount | null;
}

export type PayoutOutcome =
  | { readonly outcome: 'paid'; readonly facts: PayoutFacts }
  /** It was paid, and the money came back. */
  | { readonly outcome: 'returned'; readonly facts: PayoutFacts }
  | { readonly outcome: 'pending'; readonly reference: string | null }
  /** There is an order, and it has ended unpaid. */
  | {
      readonly outcome: 'declined';
      readonly code: FailureCode;
      readonly reference: string | null;
    }
  /** Only from `pay`: this request made no order. It says nothing about an earlier one. */
  | { readonly outcome: 'refused'; readonly code: FailureCode }
  /** Only from `pay`: there is an order with that key or code already. */
  | { readonly outcome: 'duplicate' }
  /** Only from `find`: the provider does not know the key. */
  | { readonly outcome: 'not_found' }
  /** It may have been executed. `cause` is a short text such as `timeout after 5 s`. */
  | { readonly outcome: 'unknown'; readonly cause: string };

/** What a provider answers to a query. */
export type QueryAnswer = Exclude<PayoutOutcome, { outcome: 'refused' | 'duplicate' }>;

export interface SendingLimits {
  /** Called right before the order is written. If it returns false, nothing is sent. */
  readonly isInTime: () => boolean;
  /** Time for the provider to answer. */
  readonly timeoutMs: number;
}

export interface PayoutProvider {
  readonly abilities: Abilities;
  /**
   * Makes one request with the order. Never throws, and returns before its activity's timeout.
   * After a timeout the order does not arrive later, as far as this machine can ensure that.
   */
  pay(order: PayoutOrder, limits: SendingLimits): Promise<PayoutOutcome>;
  /** Queries by key. Never throws. */
  find(question: PayoutQuestion): Promise<QueryAnswer>;
}
