// The payout provider of one corridor (architecture, section 6). An answer counts only if it is
// certainly the provider's own and about this payout: complete, unambiguous by its media type, with
// the right key. Any other may come from a gateway, proxy or cache: its outcome is `unknown`, the
// provider is queried again, and nothing is guessed. An adapter translates and decides nothing:
// src/domain/payouts/permissions.ts says what each answer permits.
import type { Corridor } from '../corridors/names';
import type { Cost, LocalAmount } from '../domain/money';
import type { Abilities, FailureCode } from '../domain/payouts/permissions';

/** What a query says about the payout. */
export interface PayoutQuestion {
  /** `<intent_id>:payout`. The provider executes it at most once, even if it is sent repeatedly. */
  readonly key: string;
  readonly amountUsdCents: number;
  readonly corridor: Corridor;
  /** What the payee must get; null where the order is in cents. */
  readonly local: LocalAmount | null;
  /** The provider's own id of the payment, if an answer named it or an operator proposes it. */
  readonly reference: string | null;
}

export interface PayoutOrder extends PayoutQuestion {
  /** The scanned code, which names the payee (decision 20); null if there is none. Never log it. */
  readonly qrPayload: string | null;
  /** From the inquiry that the order repeats; null without one. */
  readonly token: string | null;
  /** Stands for the payer: 20 characters of a keyed hash of partner and user. */
  readonly payer: string;
}

/** What a provider says of a payment beside its status. A member that it does not say is null. */
export interface PayoutFacts {
  /** The provider's own id of the payment. */
  readonly reference: string | null;
  /** The cents that were ordered, as the provider repeats them. */
  readonly orderedUsdCents: number | null;
  /** What the payee gets. */
  readonly local: LocalAmount | null;
  readonly cost: Cost | null;
  /** The id by which the payee's bank knows it. */
  readonly bankReference: string | null;
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

/** A scanned code and an amount: what would the payee get, and what would it cost? */
export interface InquiryRequest {
  readonly qrPayload: string;
  readonly corridor: Corridor;
  readonly amountUsdCents: number;
  /** The amount in the code; null if the code has none. */
  readonly local: LocalAmount | null;
}

/** It moves no money. A member that the provider does not say is null. */
export interface Inquiry {
  readonly payee: {
    readonly name: string;
    /** `bank`: the provider has asked the payee's bank. */
    readonly nameFrom: 'bank' | 'code' | null;
    readonly bank: string | null;
  } | null;
  readonly local: LocalAmount | null;
  readonly cost: Cost | null;
  /** The order repeats it. */
  readonly token: string | null;
  /** Until when the provider will execute the order on these terms; null if it does not say. */
  readonly firmUntil: Date | null;
}

export type InquiryAnswer =
  | { readonly outcome: 'quoted'; readonly inquiry: Inquiry }
  | { readonly outcome: 'refused'; readonly code: FailureCode }
  | { readonly outcome: 'unknown'; readonly cause: string };

/** Which payment a verified callback is about. Its outcome is never read: a query follows. */
export interface CallbackHint {
  readonly key: string | null;
  readonly reference: string | null;
}

export type CallbackHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What an adapter declares beside its abilities. */
export interface Declared extends Abilities {
  /** Its order needs the payee's amount, and so a code with one or a quote. */
  readonly needsLocal: boolean;
  /** Its answers to queries repeat what the payee gets. */
  readonly confirmsLocal: boolean;
  /** For how many days after a capture it is queried whether the money came back; 0 for none. */
  readonly askAfterPaidDays: number;
}

/** What an adapter makes of an account at a provider. */
export interface PayoutAdapter {
  readonly abilities: Declared;
  /**
   * Makes one request with the order. Never throws, and returns before its activity's timeout.
   * After a timeout the order does not arrive later, as far as this machine can ensure that.
   */
  pay(order: PayoutOrder, limits: SendingLimits): Promise<PayoutOutcome>;
  /** Queries by key, or by the reference where the provider knows no key. Never throws. */
  find(question: PayoutQuestion): Promise<QueryAnswer>;
  /** Never throws. */
  inquire?(request: InquiryRequest): Promise<InquiryAnswer>;
  /** Undefined if the callback is not certainly the provider's own, or is unreadable. */
  readCallback?(headers: CallbackHeaders, body: Uint8Array): CallbackHint | undefined;
}

export interface PayoutProvider extends PayoutAdapter {
  /** The name that settings give the account; rows have it (decision 151). */
  readonly account: string;
}
