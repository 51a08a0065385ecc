// Operations, as they work with payctl: refunds, and declarations with evidence. The same functions that its commands call, so
// that none of them costs a process of its own.
import type { Client } from '@temporalio/client';
import { resolvePayout } from '../../../src/ops/intents/operator-actions';
import { refundIntent } from '../../../src/ops/intents/refund-intent';
import { Rejection } from '../../../src/ops/rejection';
import type { Database } from '../../../src/postgres/database';

/** What operations were told, for the checkers: `done` by this very call, refused, or not known. */
export interface OperatorAnswer {
  readonly asked: 'refund' | 'declare paid' | 'declare declined' | 'decline what is held';
  readonly intentId: string;
  readonly actor: string;
  readonly outcome: 'done' | 'refused' | 'unknown';
  readonly answeredAtMs: number;
  readonly text: string;
}

export type OperatorDesk = ReturnType<typeof createOperatorDesk>;

interface Tools {
  readonly database: Database;
  readonly client: Client;
}

const REFUND_PATIENCE_MS = 10_000;
const RESOLVE_PATIENCE_MS = 45_000;

export function createOperatorDesk({ database, client }: Tools) {
  const answers: OperatorAnswer[] = [];
  let asked = 0;
  const ask = async (about: About, work: (actor: string) => Promise<unknown>) => {
    asked += 1;
    const actor = `operator-${asked}`;
    const said = await work(actor).then(
      () => ({ outcome: 'done', text: '' }) as const,
      (error: unknown) => rejectionOf(error),
    );
    answers.push({ ...about, actor, answeredAtMs: Date.now(), ...said });
  };
  const declare = (about: About, outcome: 'paid' | 'declined') =>
    ask(about, (actor) => {
      const deadline = AbortSignal.timeout(RESOLVE_PATIENCE_MS);
      const evidence = `by the journal of the provider, ${actor}`;
      const resolution = { outcome, actor, evidence };
      return resolvePayout({ database, client, deadline }, about.intentId, resolution);
    });
  return {
    /** In the order in which they were given. */
    answers: answers as readonly OperatorAnswer[],
    refund: (intentId: string) =>
      ask({ asked: 'refund', intentId }, (actor) => {
        const deadline = AbortSignal.timeout(REFUND_PATIENCE_MS);
        return refundIntent({ database, client, deadline }, { intentId, actor, reason: 'chaos' });
      }),
    declare: (intentId: string, outcome: 'paid' | 'declined') =>
      declare({ asked: `declare ${outcome}`, intentId }, outcome),
    /** The same of one whose payout a stop holds up. */
    declineHeld: (intentId: string) =>
      declare({ asked: 'decline what is held', intentId }, 'declined'),
  };
}

type About = Pick<OperatorAnswer, 'asked' | 'intentId'>;

/** A rejection is an answer. It also says when Temporal or Postgres did not tell: then nobody knows yet. */
function rejectionOf(error: unknown): Pick<OperatorAnswer, 'outcome' | 'text'> {
  const text = error instanceof Error ? error.message : String(error);
  const isKnown = error instanceof Rejection && !text.includes('gave no answer');
  return { outcome: isKnown ? 'refused' : 'unknown', text };
}
