// The data of the six sources after a run (architecture, section 8), and all answers of the run.
// The checkers get nothing else, so that tests can pass them any evidence.
import type { Answer } from '../actors/record';
import type { JournalEntry } from '../sources/journal';
import type { OperatorAnswer } from '../actors/operator';

export interface Evidence {
  /** Source 1: the rows and the ledger in Postgres, by intent id. */
  readonly rows: ReadonlyMap<string, IntentFacts>;
  readonly ledger: LedgerFacts;
  /** Source 2: the provider's journal. */
  readonly journal: readonly JournalEntry[];
  /** Source 3: GET of every intent, after everything has settled. */
  readonly readings: ReadonlyMap<string, Reading>;
  /** Source 4: Temporal's executions and their histories. */
  readonly workflows: readonly WorkflowFacts[];
  /** Source 5: webhooks that arrived at the partners. */
  readonly inbox: readonly Received[];
  /** Source 6: `payctl reconcile` over the provider's statement. */
  readonly reconciliation: ReconciliationFacts;
  readonly answers: readonly Answer[];
  readonly operatorAnswers: readonly OperatorAnswer[];
  /** Periods in which commits were slow, in the order in which they ended. */
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
  /** It may stay open until people decide. */
  readonly isForPeople: boolean;
  /** In the order in which they happened. */
  readonly transitions: readonly TransitionFacts[];
  readonly transfers: readonly TransferFacts[];
  readonly payout: { readonly status: string; readonly firstAttemptAtMs: number } | null;
  readonly events: readonly EventFacts[];
  /** Hashes of the tokens that were used for the intent, in hex. */
  readonly tokens: readonly TokenFacts[];
}

interface TransitionFacts {
  readonly from: string;
  readonly to: string;
  readonly atMs: number;
  readonly actor: string;
}

export interface TransferFacts {
  /** `debit`, `capture`, `release` or `refund`: the part of the key after the intent id. */
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
  /** The recorded attempts, in the order in which they began. */
  readonly made: readonly Period[];
}

export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

interface TokenFacts {
  readonly jtiHash: string;
  readonly isAnswered: boolean;
}

export interface LedgerFacts {
  /** By account. */
  readonly balances: ReadonlyMap<string, number>;
  readonly slotsCents: number;
  /** Results of `payctl ledger check`, run as a separate process. */
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
  /** Each finding as its kind, a space and its payout key. */
  readonly found: readonly string[];
}

export interface Reading {
  readonly httpStatus: number | undefined;
  readonly status: string | undefined;
  readonly cents: number | undefined;
  readonly corridor: string | undefined;
  readonly capturedAtMs: number | undefined;
}

export interface WorkflowFacts {
  readonly workflowId: string;
  readonly type: string;
  /** `COMPLETED`, `RUNNING`, `FAILED` … */
  readonly status: string;
  /** Its result; null while it is open. */
  readonly result: string | null;
  /** The amount in its input, for a payment workflow. */
  readonly cents: number | null;
  /** Causes of failed workflow tasks that no outage explains. */
  readonly brokenTasks: readonly string[];
}

export interface Received {
  /** The owner of the inbox. */
  readonly partnerId: string;
  readonly webhookId: string;
  /** Null for an invalid signature: the rest of the webhook is then ignored. */
  readonly event: {
    readonly type: string;
    readonly intentId: string;
    readonly status: string;
    readonly cents: number;
    readonly corridor: string;
  } | null;
  readonly body: string;
}
