// Holds a payout still while operations have it judged (architecture, section 3, "Settlement"): nothing may be sent
// between the last question to the provider and the end that is written.
import type { IntentId } from '../domain/ids';

export type GateAnswer =
  /**
   * `attempts` is how often it was begun by then, 0 if never: what is judged now holds only while that is true. `isTaken`: the provider
   * has said before that it has the payout.
   */
  | { readonly outcome: 'closed'; readonly attempts: number; readonly isTaken: boolean }
  /** A sending may still be under way for that long. */
  | { readonly outcome: 'too_soon'; readonly inMs: number };

export interface PayoutGate {
  /** For a minute no attempt begins, unless one began less than a whole attempt's time ago: then nothing is closed. */
  close(intentId: IntentId): Promise<GateAnswer>;
  /** Attempts may begin again, since the provider has the payout, and that is kept. */
  open(intentId: IntentId): Promise<void>;
}
