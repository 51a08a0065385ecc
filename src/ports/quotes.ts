// Quotes (decision 155): what the payee of a scanned code gets. No money moves.
import type { IntentId } from '../domain/ids';
import type { LocalAmount } from '../domain/money';
import type { CostBounds } from '../domain/payouts/terms';
import type { Inquiry, PayoutProvider } from './payout-provider';

export interface Quote {
  readonly quoteId: string;
  /** Only its hash is stored. */
  readonly qrPayload: string;
  /** The account at the provider. */
  readonly account: string;
  readonly inquiry: Inquiry & { readonly local: LocalAmount };
}

/**
 * `busy`: the intent has another request under way. `intent`: it has had all its quotes or codes.
 * `partner`: the bucket of its partner is empty.
 */
export interface QuoteDenial {
  readonly why: 'busy' | 'intent' | 'partner';
  readonly retryAfterSeconds: number;
}

export interface QuoteStore {
  /** Counts a request to the provider, before it is made. Undefined if it may be made. */
  begin(intentId: IntentId, qrPayload: string): Promise<QuoteDenial | undefined>;
  /** Ends that request, and stores its quote, if any. @returns it as on the wire; never log it */
  end(intentId: IntentId, quote?: Quote): Promise<object | undefined>;
}

/** What the API needs of a corridor's provider. */
export interface Quoter extends Pick<PayoutProvider, 'account' | 'inquire'> {
  readonly costBounds: (amountUsdCents: number) => CostBounds;
}
