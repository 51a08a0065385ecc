// The payout provider of one corridor (architecture, section 6). An answer counts only if it is
// certainly the provider's own and about this payout: complete, unambiguous by its media type, with
// the right key. Any other may come from a gateway, proxy or cache: its outcome is `unknown`, the
// provider is queried again, and nothing is guessed.
import type { Corridor } from '../../corridors/names';

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

export type PayoutOutcome =
  | { readonly outcome: 'paid' | 'pending' | 'declined'; readonly amountUsdCents: number }
  /**
   * Only from `find`: the provider does not know the key. It may be sent; the debit may not be
   * released.
   */
  | { readonly outcome: 'not_found' }
  /** It may have been executed. `cause` is a short text such as `timeout after 5 s`. */
  | { readonly outcome: 'unknown'; readonly cause: string };

export interface SendingLimits {
  /** Called right before the order is written. If it returns false, nothing is sent. */
  readonly isInTime: () => boolean;
  /** Time for the provider to answer. */
  readonly timeoutMs: number;
}

export interface PayoutProvider {
  /**
   * Sends the order. Never throws, and returns before its activity's timeout. After a timeout the
   * order does not arrive later, as far as this machine can ensure that.
   */
  pay(order: PayoutOrder, limits: SendingLimits): Promise<PayoutOutcome>;
  /** Queries by key. Never throws. */
  find(question: PayoutQuestion): Promise<PayoutOutcome>;
}
