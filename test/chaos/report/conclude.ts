// The report of a run, from its evidence.
import type { Cast } from '../actors/actors';
import { checkAll } from './check-all';
import type { ChaosWishes } from '../command-line';
import type { Evidence } from './evidence';
import { faults, judgeEach, type Finding } from './finding';
import { STAYS_VISIBLE } from '../actors/operator-rounds';
import { countsOf, type Report } from './report';
import type { SecretSearch } from './secrets';
import type { Settling } from '../settle';
import type { StruckFault } from '../load-and-faults';
import type { System } from '../system';

/** What a run has come to. */
interface Outcome {
  readonly struck: readonly StruckFault[];
  readonly settling: Settling;
  readonly told: Finding;
  readonly evidence: Evidence;
  readonly search: SecretSearch;
}

/** Amounts above this one choose what the provider does (src/sandbox/scenarios.ts). */
const PLAIN_MAX_USD_CENTS = 40_000;

export function conclude(
  { disk }: System,
  { desk, load }: Cast,
  { seconds, seed }: ChaosWishes,
  { struck, settling, told, evidence, search }: Outcome,
): Report {
  const rows = [...evidence.rows.values()];
  const magic = rows.filter(
    ({ cents, transitions }) => cents > PLAIN_MAX_USD_CENTS && transitions.length > 0,
  );
  const { late } = settling;
  const left = `${String(late)} were left by then; it took ${settling.seconds.toFixed(0)} s`;
  return {
    ...{ seconds, seed },
    faults: {
      ...countsOf(struck.map(({ kind }) => kind)),
      ...countsOf(magic.map(({ cents }) => `provider ${cents}`)),
    },
    payments: rows.length,
    invariants: [
      ...checkAll(evidence, { staysVisible: STAYS_VISIBLE, nowMs: Date.now() }),
      told,
      search.finding(),
      {
        ...judgeEach('all is settled within ninety seconds of the last fault', [late], () =>
          faults([late !== undefined, left]),
        ),
        checked: rows.length,
      },
      {
        ...judgeEach('the harness made no mistake', load.mistakes, (mistake) => [mistake]),
        checked: load.begun(),
      },
    ],
    points: countsOf(
      struck.filter(({ kind }) => kind.startsWith('failpoint')).map(({ detail }) => detail),
    ),
    settled_after_seconds: Math.round(settling.seconds),
    webhooks_sent_again: settling.replayed,
    skipped: disk.whyNot === undefined ? {} : { disk: disk.whyNot },
    answers: {
      ...countsOf(desk.answers.map(({ asked, status }) => `${asked} ${status ?? 'none'}`)),
      ...countsOf(evidence.operatorAnswers.map(({ asked, outcome }) => `${asked}: ${outcome}`)),
    },
    ends: countsOf(rows.map(({ status }) => status)),
  };
}
