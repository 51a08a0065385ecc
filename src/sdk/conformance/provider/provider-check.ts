// The form of the checks of a provider.
import type { PayoutOrder } from '../../../ports/payout-provider';
import type { Caller } from './caller';

export interface ProviderCheck {
  /** What a conforming provider does, as a sentence that can be false. */
  readonly name: string;
  /** What the reader does about a failure, as a sentence. */
  readonly advice: string;
  /** The cents of the check's order, by which the balance must fall. */
  readonly pays?: number;
  /** The cents of the check's order where the balance must be the same in the end. */
  readonly orders?: number;
  /** @throws Error whose message says what happened instead, as a sentence */
  readonly run: (trial: Trial) => Promise<unknown>;
}

export interface Trial extends Caller {
  /** The order of this check, with a key of its own. */
  readonly given: PayoutOrder;
  /** The order of the first check, which is paid. */
  readonly first: PayoutOrder;
}
