// Makes the report of a run from its evidence.
import type { Actors } from '../actors/actors';
import { checkAll } from './check-all';
import type { ChaosOptions } from '../command-line';
import type { Evidence } from './evidence';
import { problems, checkEach, type Finding } from './finding';
import { countsOf, FOR_PEOPLE, type Report } from './report';
import type { SecretSearch } from './secrets';
import type { Settling } from '../settle';
import type { InjectedFault } from '../load-and-faults';
import type { System } from '../system';

/** The results of all stages of a run. */
interface Outcome {
  readonly injected: readonly InjectedFault[];
  readonly settling: Settling;
  readonly finalRound: Finding;
  readonly evidence: Evidence;
  readonly search: SecretSearch;
}

/** Amounts above this one select a scenario of the provider (src/sandbox/scenarios.ts). */
const PLAIN_MAX_USD_CENTS = 40_000;

export function conclude(
  { disk }: System,
  { driver, load, putBacks }: Actors,
  { seconds, seed }: ChaosOptions,
  { injected, settling, finalRound, evidence, search }: Outcome,
): Report {
  const rows = [...evidence.rows.values()];
  const magic = rows.filter(
    ({ cents, transitions }) => cents > PLAIN_MAX_USD_CENTS && transitions.length > 0,
  );
  return {
    ...{ seconds, seed },
    faults: {
      ...countsOf(injected.map(({ kind }) => kind)),
      ...countsOf(magic.map(({ cents }) => `provider ${cents}`)),
    },
    payments: rows.length,
    invariants: [
      ...checkAll(evidence, Date.now()),
      finalRound,
      search.finding(),
      settlingFinding(settling, rows.length),
      checkEach('a snapshot that is put back stops payouts', putBacks, ({ atMs, isNoticed }) =>
        problems([!isNoticed, `put back at ${new Date(atMs).toISOString()}: payouts went on`]),
      ),
      {
        ...checkEach('the harness had no error', load.harnessErrors, (error) => [error]),
        checked: load.begun(),
      },
    ],
    points: countsOf(
      injected.filter(({ kind }) => kind.startsWith('failpoint')).map(({ detail }) => detail),
    ),
    skipped: disk.whyNot === undefined ? {} : { disk: disk.whyNot },
    answers: {
      ...countsOf(
        driver.answers.map(({ operation, status }) => `${operation} ${status ?? 'none'}`),
      ),
      ...countsOf(
        evidence.operatorAnswers.map(({ operation, outcome }) => `${operation}: ${outcome}`),
      ),
    },
    ends: countsOf(
      rows.map(({ status, attention, isForPeople }) =>
        attention !== null && isForPeople ? status + FOR_PEOPLE : status,
      ),
    ),
  };
}

function settlingFinding({ late, seconds }: Settling, checked: number): Finding {
  const name = 'everything settles within the timeout after the last fault';
  const problem = `${String(late)} were open at the timeout; settling took ${seconds.toFixed(0)} s`;
  return { ...checkEach(name, [late], () => problems([late !== undefined, problem])), checked };
}
