// A payout provider of one corridor (architecture, section 6). An unknown outcome is a value of its own: ask again,
// never guess.
import type { Corridor } from '../../domain/corridor';

export interface PayoutOrder {
  /** `<intent_id>:payout`: the provider executes it at most once, however often it is sent. */
  readonly key: string;
  readonly amountUsdCents: number;
  readonly corridor: Corridor;
  /** The scanned code, which names the payee (decision 20); null where the payment has none. It is in no answer and no cause. */
  readonly qrPayload: string | null;
}

/** What is asked about needs no payee. */
export type PayoutQuestion = Omit<PayoutOrder, 'qrPayload'>;

export type PayoutOutcome =
  | { readonly outcome: 'paid' | 'pending' | 'declined'; readonly amountUsdCents: number }
  /** Only from `find`: the provider has no such key, so sending it (again) is allowed; releasing the debit is not. */
  | { readonly outcome: 'not_found' }
  /** It may have been executed. `cause` is a short text for operations, such as `timeout after 5 s`. */
  | { readonly outcome: 'unknown'; readonly cause: string };

export interface SendingLimits {
  /** Called when the connection is open, right before the order is written: if it returns false, nothing is sent. */
  readonly isInTime: () => boolean;
  /** How long the provider has to answer. */
  readonly timeoutMs: number;
}

export interface PayoutProvider {
  /**
   * Sends the order. Never throws; gives up before the activity's timeout does. What it gives up does not arrive later, as far as
   * this machine decides that.
   */
  pay(order: PayoutOrder, limits: SendingLimits): Promise<PayoutOutcome>;
  /** Queries by key. Never throws. */
  find(question: PayoutQuestion): Promise<PayoutOutcome>;
}
