// How the API reaches orchestration without knowing it. Whatever these report, the answer is read from the rows (R2).
import type { PaymentStart } from '../domain/intents/payment-start';
import type { TokenUse } from '../domain/intents/transition';

/** `answered`: the run has done what it will do about it. `busy`: ask again shortly. `no_answer`: nobody knows. */
export type RunnerAnswer = 'answered' | 'busy' | 'no_answer';

export interface Waiting {
  /** Until the payment is settled, or only until it is authorized. */
  readonly waitForOutcome: boolean;
  /** Aborted when the caller stops waiting; the run goes on. */
  readonly deadline: AbortSignal;
}

export interface PaymentRunner {
  /** Starts the intent's run soon, at most once at a time. Never throws: the reconciler starts what this could not. */
  begin(payment: PaymentStart): void;
  /** Asks the run to authorize and settle; starts it if there is none. Idempotent per token. */
  confirm(payment: PaymentStart, token: TokenUse, waiting: Waiting): Promise<RunnerAnswer>;
  /** Asks the run to cancel; starts it if there is none. Idempotent per nonce. */
  cancel(payment: PaymentStart, nonce: string, deadline: AbortSignal): Promise<RunnerAnswer>;
}
