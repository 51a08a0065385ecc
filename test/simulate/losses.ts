// What holds where Postgres has lost commits, or where something takes them for lost.
import type { Evidence, IntentFacts } from '../chaos/evidence';
import { faults, judgeEach, type Finding } from '../chaos/finding';
import { intentOf } from '../chaos/invariants/payments';
import { toldBy, type Answer } from '../chaos/record';
import { PAYMENT_WORKFLOW } from '../../workflows/messages';
import { SKEW_MS, type Period } from './sendings';
import type { Run } from './temporal/run';
import type { Ground } from './world/ground';

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

function checkStops(
  { rows }: Evidence,
  { server, backup: { putBackAtMs, isSeen } }: Ground,
  restores: readonly Stop[],
): readonly Finding[] {
  const goesOn = ({ start, completed }: Run) =>
    start.type === PAYMENT_WORKFLOW &&
    completed.some(({ activations: [first] }) => first && first.atMs > (putBackAtMs ?? Infinity));
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

/** Nothing where the row had ended so: that is judged by itself. */
function saidUnpaid({ intentId, text, sentAtMs, answeredAtMs }: Answer, rows: Evidence['rows']) {
  const status = toldBy(text).status;
  const row = rows.get(intentId ?? '');
  if (row === undefined || !UNPAID.includes(status) || endedUnpaid(row).length > 0) return [];
  const { createdAtMs } = row;
  const what = `it was said to be ${String(status)}`;
  return [{ what, createdAtMs, fromMs: sentAtMs, toMs: answeredAtMs }];
}

/** What was created during the stop has lost nothing to it. */
function isDuring({ createdAtMs, fromMs, toMs }: Unpaid, stop: Stop): boolean {
  return createdAtMs < stop.fromMs && fromMs > stop.fromMs + SKEW_MS && toMs < stop.toMs - SKEW_MS;
}

/** Operators compare what was stopped with the provider's statement; no payment may have ended against it by then. */
export function checkRestored({ journal, rows }: Evidence, stops: readonly Stop[]): Finding {
  const name = 'after a restore, what was paid is captured or left to people';
  return judgeEach(name, journal, ({ key }) => {
    const { status = 'lost', attention = null } = rows.get(intentOf(key)) ?? {};
    const isLeft = stops.length > 0 && ['lost', 'created', 'authorized'].includes(status);
    const isFine = isLeft || attention !== null || ['captured', 'refunded'].includes(status);
    return faults([!isFine, `${key} was paid, and is ${status}`]);
  });
}
