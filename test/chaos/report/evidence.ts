// What the six sources say after a run (architecture, section 8), and what was told to those who asked. The
// checkers get this and nothing else, so that a test can hand them evidence of anything.
import type { Answer } from '../actors/record';
import type { JournalEntry } from '../sources/journal';
import type { OperatorAnswer } from '../actors/operator';

export interface Evidence {
  /** Source 1: the rows and the ledger in Postgres, by intent id. */
  readonly rows: ReadonlyMap<string, IntentFacts>;
  readonly ledger: LedgerFacts;
  /** Source 2: the provider's journal. */
  readonly journal: readonly JournalEntry[];
  /** Source 3: GET of every intent, once all was over. */
  readonly readings: ReadonlyMap<string, Reading>;
  /** Source 4: Temporal's executions and their histories. */
  readonly runs: readonly RunFacts[];
  /** Source 5: what arrived at the partners. */
  readonly inbox: readonly Received[];
  /** Source 6: `payctl reconcile` over the provider's statement. */
  readonly reconciliation: ReconciliationFacts;
  readonly answers: readonly Answer[];
  readonly operatorAnswers: readonly OperatorAnswer[];
  /** When commits waited longer than any statement may, in the order in which they ended. */
  readonly slowCommits: readonly Period[];
}

export interface IntentFacts {
  readonly intentId: string;
  readonly partnerId: string;
  readonly userId: string;
  readonly cents: number;
  readonly corridor: string;
  readonly status: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly capturedAtMs: number | null;
  readonly attention: string | null;
  readonly idempotencyKey: string | null;
  /** In the order in which they happened. */
  readonly transitions: readonly TransitionFacts[];
  readonly transfers: readonly TransferFacts[];
  readonly payout: { readonly status: string; readonly firstAttemptAtMs: number } | null;
  readonly events: readonly EventFacts[];
  /** Hashes of the tokens that were used on it, in hex. */
  readonly tokens: readonly TokenFacts[];
}

export interface TransitionFacts {
  readonly from: string;
  readonly to: string;
  readonly atMs: number;
  readonly actor: string;
}

export interface TransferFacts {
  /** `debit`, `capture`, `release` or `refund`: what stands behind the intent in the key. */
  readonly step: string;
  readonly from: string;
  readonly to: string;
  readonly cents: number;
}

export interface EventFacts {
  readonly eventId: string;
  readonly type: string;
  readonly state: string;
  readonly attempts: number;
  /** Those that were recorded, in the order in which they began. */
  readonly made: readonly Period[];
}

export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface TokenFacts {
  readonly jtiHash: string;
  readonly isAnswered: boolean;
}

export interface LedgerFacts {
  /** By account. */
  readonly balances: ReadonlyMap<string, number>;
  readonly slotsCents: number;
  /** What `payctl ledger check` found, in a process of its own. */
  readonly checks: readonly {
    readonly name: string;
    readonly checked: number;
    readonly violations: number;
    readonly examples: readonly string[];
  }[];
}

export interface ReconciliationFacts {
  readonly exitCode: number;
  readonly lastWords: string;
  /** Each as its kind, a space and its payout key. */
  readonly found: readonly string[];
}

export interface Reading {
  readonly httpStatus: number | undefined;
  readonly status: string | undefined;
  readonly cents: number | undefined;
  readonly corridor: string | undefined;
  readonly capturedAtMs: number | undefined;
}

export interface RunFacts {
  readonly workflowId: string;
  readonly type: string;
  /** `COMPLETED`, `RUNNING`, `FAILED` … */
  readonly status: string;
  /** What it came back with; null while it is open, or where its history was not read. */
  readonly result: string | null;
  /** What it was started with, where that is a payment. */
  readonly cents: number | null;
  /** Causes of failed workflow tasks that no outage explains. */
  readonly brokenTasks: readonly string[];
}

export interface Received {
  /** Whose inbox it is. */
  readonly partnerId: string;
  readonly webhookId: string;
  /** Null when the signature does not hold: then nothing else of it counts. */
  readonly event: {
    readonly type: string;
    readonly intentId: string;
    readonly status: string;
    readonly cents: number;
    readonly corridor: string;
  } | null;
  readonly body: string;
}
