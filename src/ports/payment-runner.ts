// The API's door to the workflows. Its results are hints: the HTTP answer is read from the rows
// (R2).
import type { PaymentStart } from '../domain/intents/payment-start';
import type { TokenUse } from '../domain/intents/transition';

/**
 * `answered`: the workflow has handled the request. `busy`: retry shortly. `no_answer`: not known.
 */
export type RunnerAnswer = 'answered' | 'busy' | 'no_answer';

export interface Waiting {
  /** True: wait until the payment is settled. False: until it is authorized. */
  readonly waitForOutcome: boolean;
  /** Aborted when the caller stops waiting. The workflow goes on. */
  readonly deadline: AbortSignal;
  /**
   * The id of a request whose token was answered before without a change: the workflow is asked
   * anew. Without it, requests with one token share one answer.
   */
  readonly anewFor?: string | undefined;
}

export interface PaymentRunner {
  /**
   * Starts the intent's workflow soon. Never throws: the workflow repairer starts it if this fails.
   */
  begin(payment: PaymentStart): void;
  /**
   * Requests authorize and settlement; starts the workflow if there is none. Idempotent per token.
   */
  confirm(payment: PaymentStart, token: TokenUse, waiting: Waiting): Promise<RunnerAnswer>;
  /** Requests a cancel; starts the workflow if there is none. Idempotent per nonce. */
  cancel(payment: PaymentStart, nonce: string, deadline: AbortSignal): Promise<RunnerAnswer>;
}
