// Collects the evidence of a life for the checkers of a chaos run, and its steps for the printed
// story.
import { defaultPayloadConverter } from '@temporalio/common';
import type { IntentId } from '../../../src/domain/ids';
import type { PaymentStart } from '../../../src/domain/intents/payment-start';
import { listPayoutStops } from '../../../src/postgres/payouts/stops';
import { PAYMENT_WORKFLOW, RESTORE_WATCH_ID } from '../../../workflows/messages/messages';
import type { Evidence, Reading } from '../../chaos/report/evidence';
import { readBalances, readRows } from '../../chaos/sources/rows';
import type { Stop } from './losses';
import type { Payload, Run } from '../temporal/run';
import type { World } from '../world/world';
import { START_MS } from '../world/harness';
import type { Actors } from '../world/stories';

/** Time since the beginning of the life, and a sentence. */
export interface Step {
  readonly atMs: number;
  readonly text: string;
}

export async function collect(world: World, { payer, operators }: Actors): Promise<Evidence> {
  const { postgres, provider, endpoint, server } = world;
  const stays = provider.isDenialProof ? "i.status = 'authorized'" : 'true';
  // Where no denial is proof, a payment that may have been sent does not expire.
  const rows = await readRows(postgres.real, stays);
  return {
    ...{ rows, answers: payer.answers, operatorAnswers: operators.answers },
    ...{ readings: await readAll(world, [...rows.keys()]) },
    ...{ journal: provider.journal, inbox: endpoint.inbox, slowCommits: [] },
    ledger: { ...(await readBalances(postgres.real)), checks: [] },
    workflows: server.runs.filter(isOfPayment).map(({ start, status, result, brokenTasks }) => ({
      ...{ workflowId: start.workflowId, type: start.type, status, brokenTasks },
      result: typeof result === 'string' ? result : null,
      cents: start.type === PAYMENT_WORKFLOW ? centsOf(start.args[0]) : null,
    })),
    reconciliation: { exitCode: 0, lastWords: '', found: [] },
  };
}

/**
 * The stops of payouts by the clock of Postgres; infinite while one is in force. A restored
 * Postgres does not know which stops were in force before.
 */
export async function readStops({ postgres, backup }: World): Promise<readonly Stop[]> {
  const stops = await listPayoutStops(postgres.real);
  const { putBackAtMs = 0 } = backup;
  return stops.map(({ at, ended_at: endedAt, kind }) => ({
    isForRestore: kind === 'restore',
    fromMs: Math.max(at.getTime(), putBackAtMs),
    toMs: endedAt?.getTime() ?? Number.POSITIVE_INFINITY,
  }));
}

async function readAll(
  { postgres, intentsOn }: World,
  intentIds: readonly string[],
): Promise<ReadonlyMap<string, Reading>> {
  const readings = new Map<string, Reading>();
  for (const intentId of intentIds) {
    const seen = await intentsOn(postgres.real).find(intentId as IntentId);
    if (seen === undefined) continue;
    const { status, amountUsdCents: cents, corridor, capturedAt } = seen;
    const capturedAtMs = status === 'captured' ? capturedAt?.getTime() : undefined;
    readings.set(intentId, { httpStatus: 200, status, cents, corridor, capturedAtMs });
  }
  return readings;
}

function isOfPayment({ start }: Run): boolean {
  return start.workflowId !== RESTORE_WATCH_ID;
}

function centsOf(payload: Payload | undefined): number | null {
  if (payload === undefined) return null;
  return defaultPayloadConverter.fromPayload<PaymentStart>(payload).amountUsdCents;
}

export function stepsIn({ rows, journal, answers, operatorAnswers }: Evidence): readonly Step[] {
  const [row] = [...rows.values()];
  const steps = [
    ...(row?.transitions ?? []).map(({ atMs, from, to, actor }) => ({
      ...{ atMs, text: `${from} → ${to}, by ${actor}` },
    })),
    ...journal.map((one) => ({ atMs: Date.parse(one.executed_at), text: 'the provider pays' })),
    ...answers.map(({ answeredAtMs: atMs, operation, status }) => ({
      ...{ atMs, text: `${operation} is answered ${String(status)}` },
    })),
    ...operatorAnswers.map(({ answeredAtMs: atMs, operation, outcome }) => ({
      ...{ atMs, text: `to ${operation}: ${outcome}` },
    })),
  ];
  return steps.map(({ atMs, text }) => ({ atMs: atMs - START_MS, text }));
}
