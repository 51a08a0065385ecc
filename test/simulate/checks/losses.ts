// What holds where Postgres has lost commits, or where something takes them for lost.
import type { Evidence, IntentFacts } from '../../chaos/report/evidence';
import { faults, judgeEach, type Finding } from '../../chaos/report/finding';
import { intentOf } from '../../chaos/invariants/payments';
import { toldBy, type Answer } from '../../chaos/actors/record';
import { PAYMENT_WORKFLOW } from '../../../workflows/messages/messages';
import { SKEW_MS, type Period } from './sendings';
import type { Activation, Run } from '../temporal/run';
import type { Ground } from '../world/ground';

/** Of all payouts. */
export interface Stop extends Period {
  readonly isForRestore: boolean;
}

export function checkLosses(
  evidence: Evidence,
  ground: Ground,
  stops: readonly Stop[],
): readonly Finding[] {
  const { rows, answers } = evidence;
  const restores = stops.filter(({ isForRestore }) => isForRestore);
  const seen = [
    ...[...rows.values()].flatMap(endedUnpaid),
    ...answers.filter(({ asked }) => asked === 'get').flatMap((one) => saidUnpaid(one, rows)),
  ];
  return [
    ...checkStops(evidence, ground, restores),
    checkCreatedAgain(evidence, ground, restores),
    judgeEach('no payment waits for a row that agrees with its workflow', rows.values(), (row) =>
      faults([
        row.attention === WAITS_FOR_ITS_ROW,
        `${row.intentId} waits for people, and its row says what its workflow believes`,
      ]),
    ),
    judgeEach('during a stop for a restore nothing ends unpaid', seen, (one) =>
      faults([
        restores.some((stop) => isDuring(one, stop)),
        `${one.what} during a stop that began at ${String(restores[0]?.fromMs)}`,
      ]),
    ),
    judgeEach('the ledger moves what the row says', rows.values(), ({ cents, transfers }) =>
      transfers
        .filter((one) => one.cents !== cents)
        .map((one) => `a ${one.step} moves ${String(one.cents)} of ${String(cents)} cents`),
    ),
    judgeEach('nothing expires before its deadline', rows.values(), (row) =>
      faults([
        row.transitions.some(({ to, atMs }) => to === 'expired' && atMs < row.expiresAtMs),
        `${row.intentId} expired before ${String(row.expiresAtMs)}`,
      ]),
    ),
  ];
}

/** Of `followRow` in workflows/settlement.ts. */
const WAITS_FOR_ITS_ROW = 'The payment is authorized, but its row says authorized.';

function checkStops(
  { rows }: Evidence,
  { server, backup: { putBackAtMs, isSeen } }: Ground,
  restores: readonly Stop[],
): readonly Finding[] {
  const goesOn = (run: Run) =>
    run.start.type === PAYMENT_WORKFLOW &&
    run.completed.some(
      ({ activations: [first] }) => (first?.atMs ?? 0) > (putBackAtMs ?? Infinity),
    ) &&
    // An operator may terminate it while Postgres is still away.
    !isBlind(run, putBackAtMs);
  return [
    judgeEach('payouts are stopped for a loss, and once', restores, ({ fromMs }) =>
      faults(
        [putBackAtMs === undefined, `stopped at ${String(fromMs)}, and nothing was lost`],
        [restores.some(({ toMs }) => toMs < fromMs), `stopped again at ${String(fromMs)}`],
      ),
    ),
    judgeEach(
      'workers that saw what is lost stop payouts',
      isSeen ? [putBackAtMs] : [],
      (atMs = 0) =>
        faults([
          !restores.some(({ fromMs }) => fromMs <= atMs + SKEW_MS),
          `commits were lost at ${String(atMs)}, and no stop began then`,
        ]),
    ),
    judgeEach('a workflow whose row is lost stops payouts', server.runs.filter(goesOn), (run) =>
      faults([
        rows.size === 0 && restores.length === 0,
        `${run.start.workflowId} goes on without a row, and payouts are allowed`,
      ]),
    ),
  ];
}

/** Each start is repeated when the lease of its row is over, and an outage of Postgres lasts two minutes at most. */
const STARTED_WITHIN_MS = 160_000;

/**
 * The memo of the older workflow shows it, also while that workflow sleeps. An operator who terminates it may take that
 * witness away before Postgres answers again.
 */
function checkCreatedAgain(
  { rows }: Evidence,
  { server, faults: met }: Ground,
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
  return judgeEach('a row that was created again stops payouts', createdAgain, (row) => {
    const untilMs = Math.max(row.createdAtMs, lastFaultAtMs) + STARTED_WITHIN_MS;
    return faults([
      !restores.some(({ fromMs }) => fromMs <= untilMs),
      `${row.intentId} is younger than its workflow, and payouts were allowed at ${String(untilMs)}`,
    ]);
  });
}

const CREATED_AT = 'created_at_ms';

/** Operators have terminated it before Postgres answered it after the loss: it can have noticed nothing. */
function isBlind({ status, completed }: Run, putBackAtMs = Infinity): boolean {
  const seen = completed.flatMap(({ activations }) => activations);
  return (
    status === 'TERMINATED' &&
    !seen.some((activation) => activation.atMs > putBackAtMs && hasReadPostgres(activation))
  );
}

/** Local activities are statements, and are repeated until Postgres has answered. */
function hasReadPostgres({ jobs }: Activation): boolean {
  return jobs.some(({ resolveActivity }) => resolveActivity?.isLocal === true);
}

/** That a payment has ended without being paid, or was said to have: when, and of a row of when. */
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

/** Nothing where the row had ended so by then: that is judged by itself. */
function saidUnpaid({ intentId, text, sentAtMs, answeredAtMs }: Answer, rows: Evidence['rows']) {
  const status = toldBy(text).status;
  const row = rows.get(intentId ?? '');
  if (row === undefined || !UNPAID.includes(status)) return [];
  if (endedUnpaid(row).some(({ fromMs }) => fromMs < answeredAtMs + SKEW_MS)) return [];
  const { createdAtMs } = row;
  const what = `it was said to be ${String(status)}`;
  return [{ what, createdAtMs, fromMs: sentAtMs, toMs: answeredAtMs }];
}

/** What was created during the stop has lost nothing to it. */
function isDuring({ createdAtMs, fromMs, toMs }: Unpaid, stop: Stop): boolean {
  return createdAtMs < stop.fromMs && fromMs > stop.fromMs + SKEW_MS && toMs < stop.toMs - SKEW_MS;
}

/**
 * Operators compare what was stopped with the provider's statement; no payment may have ended against it by then. Where they have
 * terminated the one workflow that knew of a loss which the watch cannot notice, nothing was stopped (docs/restore.md).
 */
export function checkRestored(
  { journal, rows }: Evidence,
  stops: readonly Stop[],
  { server, backup: { putBackAtMs } }: Ground,
): Finding {
  const name = 'after a restore, what was paid is captured or left to people';
  const isKnown = ({ key }: { readonly key: string }) => {
    const atLoss = server.runs.findLast(
      ({ start, startedAtMs }) =>
        start.workflowId === intentOf(key) && startedAtMs <= (putBackAtMs ?? 0),
    );
    return stops.length > 0 || atLoss === undefined || !isBlind(atLoss, putBackAtMs);
  };
  return judgeEach(name, journal.filter(isKnown), ({ key }) => {
    const { status = 'lost', attention = null } = rows.get(intentOf(key)) ?? {};
    const isLeft = stops.length > 0 && ['lost', 'created', 'authorized'].includes(status);
    const isFine = isLeft || attention !== null || ['captured', 'refunded'].includes(status);
    return faults([!isFine, `${key} was paid, and is ${status}`]);
  });
}
