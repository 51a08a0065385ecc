// An operator who refunds and resolves payouts manually. Calls the functions behind the payctl
// commands, so that no command costs a process.
import type { Client } from '@temporalio/client';
import { resolvePayout } from '../../../src/ops/intents/resolve';
import { refundIntent } from '../../../src/ops/intents/refund';
import { Rejection } from '../../../src/ops/rejection';
import type { Database } from '../../../src/postgres/database';

/** The result of a command, for the checkers: `done` by this call, rejected, or unknown. */
export interface OperatorAnswer {
  readonly operation: 'refund' | 'resolve paid' | 'resolve declined' | 'decline while stopped';
  readonly intentId: string;
  readonly actor: string;
  readonly outcome: 'done' | 'rejected' | 'unknown';
  readonly answeredAtMs: number;
  readonly text: string;
}

export type Operator = ReturnType<typeof createOperator>;

interface Tools {
  readonly database: Database;
  readonly client: Client;
}

const REFUND_TIMEOUT_MS = 10_000;
const RESOLVE_TIMEOUT_MS = 45_000;

export function createOperator({ database, client }: Tools) {
  const answers: OperatorAnswer[] = [];
  let commands = 0;
  const runCommand = async (about: About, work: (actor: string) => Promise<unknown>) => {
    commands += 1;
    const actor = `operator-${commands}`;
    const result = await work(actor).then(
      () => ({ outcome: 'done', text: '' }) as const,
      (error: unknown) => rejectionOf(error),
    );
    answers.push({ ...about, actor, answeredAtMs: Date.now(), ...result });
  };
  const resolve = (about: About, outcome: 'paid' | 'declined', isProviderGone = false) =>
    runCommand(about, (actor) => {
      const deadline = AbortSignal.timeout(RESOLVE_TIMEOUT_MS);
      const evidence = `by the journal of the provider, ${actor}`;
      const resolution = { outcome, actor, evidence, isProviderGone };
      return resolvePayout({ database, client, deadline }, about.intentId, resolution);
    });
  return {
    /** In the order in which the commands ended. */
    answers: answers as readonly OperatorAnswer[],
    refund: (intentId: string) =>
      runCommand({ operation: 'refund', intentId }, (actor) => {
        const deadline = AbortSignal.timeout(REFUND_TIMEOUT_MS);
        return refundIntent({ database, client, deadline }, { intentId, actor, reason: 'chaos' });
      }),
    resolve: (intentId: string, outcome: 'paid' | 'declined') =>
      resolve({ operation: `resolve ${outcome}`, intentId }, outcome),
    /** Resolves as declined a payout that the provider will never answer about. */
    declineSilent: (intentId: string) =>
      resolve({ operation: 'resolve declined', intentId }, 'declined', true),
    /** Resolves as declined while a stop holds up the payout. */
    declineStopped: (intentId: string) =>
      resolve({ operation: 'decline while stopped', intentId }, 'declined'),
  };
}

type About = Pick<OperatorAnswer, 'operation' | 'intentId'>;

/** A rejection is a definite answer, except where it says that Temporal or Postgres gave none. */
function rejectionOf(error: unknown): Pick<OperatorAnswer, 'outcome' | 'text'> {
  const text = error instanceof Error ? error.message : String(error);
  const isKnown = error instanceof Rejection && !text.includes('gave no answer');
  return { outcome: isKnown ? 'rejected' : 'unknown', text };
}
