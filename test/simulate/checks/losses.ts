// Invariants about lost commits of Postgres, and about false reports of a loss.
import type { Evidence, IntentFacts } from '../../chaos/report/evidence';
import { problems, checkEach, type Finding } from '../../chaos/report/finding';
import { intentOf } from '../../chaos/invariants/payments';
import { readBody, type Answer } from '../../chaos/actors/record';
import { PAYMENT_WORKFLOW } from '../../../workflows/messages/messages';
import { SKEW_MS, type Period } from './sendings';
import type { Activation, Run } from '../temporal/run';
import type { World } from '../world/world';

/** A stop of all payouts. */
export interface Stop extends Period {
  readonly isForRestore: boolean;
}

export function checkLosses(
  evidence: Evidence,
  world: World,
  stops: readonly Stop[],
): readonly Finding[] {
  const { rows, answers } = evidence;
  const restores = stops.filter(({ isForRestore }) => isForRestore);
  const seen = [
    ...[...rows.values()].flatMap(endedUnpaid),
    ...answers
      .filter(({ operation }) => operation === 'get')
      .flatMap((one) => answeredUnpaid(one, rows)),
  ];
  return [
    ...checkStops(evidence, world, restores),
    checkCreatedAgain(evidence, world, restores),
    checkEach(
      'no payment needs attention while its row agrees with its workflow',
      rows.values(),
      (row) =>
        problems([
          row.attention?.includes(WAITS_FOR_ITS_ROW) === true,
          `${row.intentId} needs attention, although its row agrees with its workflow`,
        ]),
    ),
    checkEach('no payment ends unpaid during a stop for a restore', seen, (one) =>
      problems([
        restores.some((stop) => isDuring(one, stop)),
        `${one.what} during a stop that began at ${String(restores[0]?.fromMs)}`,
      ]),
    ),
    checkEach(
      'ledger transfers have the amount of the row',
      rows.values(),
      ({ cents, transfers }) =>
        transfers
          .filter((one) => one.cents !== cents)
          .map((one) => `a ${one.step} moves ${String(one.cents)} of ${String(cents)} cents`),
    ),
    checkEach('the deadline parts authorized and expired', rows.values(), (row) =>
      problems([
        row.transitions.some(({ to, atMs }) => to === wrongAt(atMs, row.expiresAtMs)),
        `${row.intentId} was authorized after ${String(row.expiresAtMs)}, or expired before`,
      ]),
    ),
  ];
}

/** The status that no row may reach at that moment by Postgres' clock. */
const wrongAt = (atMs: number, deadlineMs: number) =>
  atMs < deadlineMs ? 'expired' : 'authorized';

/** The text of `followRow` in workflows/settlement.ts. */
const WAITS_FOR_ITS_ROW = 'The payment is authorized, but its row says authorized.';

function checkStops(
  { rows }: Evidence,
  { server, backup: { putBackAtMs, isSeen, undoneMs } }: World,
  restores: readonly Stop[],
): readonly Finding[] {
  const goesOn = (run: Run) =>
    run.start.type === PAYMENT_WORKFLOW &&
    run.completed.some(
      ({ activations: [first] }) => (first?.atMs ?? 0) > (putBackAtMs ?? Infinity),
    ) &&
    // Operators may have terminated it while Postgres was still away.
    !isBlind(run, putBackAtMs);
  return [
    checkEach('payouts are stopped once, and only for a loss', restores, ({ fromMs }) =>
      problems(
        [putBackAtMs === undefined, `stopped at ${String(fromMs)}, and nothing was lost`],
        [restores.some(({ toMs }) => toMs < fromMs), `stopped again at ${String(fromMs)}`],
      ),
    ),
    checkEach(
      'workers that saw the lost commits stop payouts',
      isSeen ? [putBackAtMs] : [],
      (atMs = 0) =>
        problems([
          !restores.some(({ fromMs }) => fromMs <= atMs + SKEW_MS),
          `commits were lost at ${String(atMs)}, and no stop began then`,
        ]),
    ),
    checkEach(
      'the watch stops payouts after a loss of two ticks',
      undoneMs > TWO_TICKS_MS ? [undoneMs] : [],
      (ms) => problems([restores.length === 0, `${String(ms)} ms were lost, and no stop began`]),
    ),
    checkEach('a workflow whose row is lost stops payouts', server.runs.filter(goesOn), (run) =>
      problems([
        rows.size === 0 && restores.length === 0,
        `${run.start.workflowId} goes on without a row, and payouts are allowed`,
      ]),
    ),
  ];
}

/** The watch ticks every 30 s, and each tick may be late. */
const TWO_TICKS_MS = 60_000;

/**
 * A start is repeated after the lease of its row, and an outage of Postgres lasts at most two
 * minutes.
 */
const STARTED_WITHIN_MS = 160_000;

/**
 * The memo of the older workflow proves it, even while that workflow sleeps. That proof is gone if
 * an operator terminates the workflow before Postgres answers again.
 */
function checkCreatedAgain(
  { rows }: Evidence,
  { server, faults: met }: World,
  restores: readonly Stop[],
): Finding {
  const createdAgain = [...rows.values()].filter(({ intentId, createdAtMs }) =>
    server.runs.some(
      ({ start: { workflowId, memo }, status }) =>
        workflowId === intentId &&
        Number(memo[CREATED_AT]) < createdAtMs &&
        status !== 'TERMINATED',
    ),
  );
  const lastFaultAtMs = met.at(-1)?.atMs ?? 0;
  return checkEach('a row that was created again stops payouts', createdAgain, (row) => {
    const untilMs = Math.max(row.createdAtMs, lastFaultAtMs) + STARTED_WITHIN_MS;
    return problems([
      !restores.some(({ fromMs }) => fromMs <= untilMs),
      `${row.intentId} is younger than its workflow, and payouts were allowed at ${String(untilMs)}`,
    ]);
  });
}

const CREATED_AT = 'created_at_ms';

/**
 * Operators terminated it before it could read Postgres after the loss, so it could not notice the
 * loss.
 */
function isBlind({ status, completed }: Run, putBackAtMs = Infinity): boolean {
  const seen = completed.flatMap(({ activations }) => activations);
  return (
    status === 'TERMINATED' &&
    !seen.some((activation) => activation.atMs > putBackAtMs && hasReadPostgres(activation))
  );
}

/**
 * Operators terminated the only workflow that knew of a loss which the watch cannot notice
 * (docs/restore.md). Nothing stops payouts, and the payment may be sent without a query.
 */
export function isUnnoticed(
  { server, backup: { putBackAtMs = 0 } }: World,
  stops: readonly Stop[],
): boolean {
  return (
    !stops.some(({ isForRestore }) => isForRestore) &&
    server.runs.some((run) => run.startedAtMs <= putBackAtMs && isBlind(run, putBackAtMs))
  );
}

/** Local activities are statements that are repeated until Postgres answers. */
function hasReadPostgres({ jobs }: Activation): boolean {
  return jobs.some(({ resolveActivity }) => resolveActivity?.isLocal === true);
}

/**
 * A payment ended unpaid, or an answer said so; with the time, and the creation time of its row.
 */
interface Unpaid {
  readonly what: string;
  readonly createdAtMs: number;
  readonly fromMs: number;
  readonly toMs: number;
}

const UNPAID: readonly unknown[] = ['expired', 'cancelled'];

function endedUnpaid({ createdAtMs, transitions }: IntentFacts): readonly Unpaid[] {
  return transitions
    .filter(({ to }) => UNPAID.includes(to))
    .map(({ to, atMs }) => ({ what: `it was ${to}`, createdAtMs, fromMs: atMs, toMs: atMs }));
}

/** Empty if the row had ended unpaid by then: `endedUnpaid` covers that. */
function answeredUnpaid(
  { intentId, text, sentAtMs, answeredAtMs }: Answer,
  rows: Evidence['rows'],
) {
  const status = readBody(text).status;
  const row = rows.get(intentId ?? '');
  if (row === undefined || !UNPAID.includes(status)) return [];
  if (endedUnpaid(row).some(({ fromMs }) => fromMs < answeredAtMs + SKEW_MS)) return [];
  const { createdAtMs } = row;
  const what = `an answer said ${String(status)}`;
  return [{ what, createdAtMs, fromMs: sentAtMs, toMs: answeredAtMs }];
}

/** Payments that were created during the stop have lost nothing. */
function isDuring({ createdAtMs, fromMs, toMs }: Unpaid, stop: Stop): boolean {
  return createdAtMs < stop.fromMs && fromMs > stop.fromMs + SKEW_MS && toMs < stop.toMs - SKEW_MS;
}

/**
 * Operators reconcile the stopped payments with the provider's statement. Until then no payment may
 * have ended against it. Payouts are not stopped if operators terminated the only workflow that
 * knew of a loss which the watch cannot notice (docs/restore.md), or reset it.
 */
export function checkRestored(
  { journal, rows }: Evidence,
  stops: readonly Stop[],
  { server, backup: { putBackAtMs } }: World,
): Finding {
  const name = 'after a restore, an executed payout is captured or needs attention';
  const isKnown = ({ key }: { readonly key: string }) => {
    const before = server.runs.filter(
      ({ start, startedAtMs }) =>
        start.workflowId === intentOf(key) && startedAtMs <= (putBackAtMs ?? 0),
    );
    // A reset terminates, and its execution knows nothing of the one before.
    return stops.length > 0 || !before.some((run) => isBlind(run, putBackAtMs));
  };
  return checkEach(name, journal.filter(isKnown), ({ key }) => {
    const { status = 'lost', attention = null } = rows.get(intentOf(key)) ?? {};
    const isLeft = stops.length > 0 && ['lost', 'created', 'authorized'].includes(status);
    const isFine = isLeft || attention !== null || ['captured', 'refunded'].includes(status);
    return problems([!isFine, `${key} was paid, and is ${status}`]);
  });
}
