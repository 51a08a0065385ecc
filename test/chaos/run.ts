// One run: load and faults together, then healing, settling, and the checks.
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../../src/dev/until';
import { createCast, type Cast } from './cast';
import { checkAll } from './check-all';
import { collect } from './collect';
import type { ChaosWishes } from './command-line';
import { strikeOf } from './faults';
import { makeFinalRound } from './final-round';
import type { Finding } from './finding';
import { APIS } from './links';
import { makeRounds, STAYS_VISIBLE } from './operator-rounds';
import { countsOf, type Report } from './report';
import { drawSchedule, type ScheduledFault } from './schedule';
import { createSecretSearch, knownSecrets } from './secrets';
import { settle, type Settling } from './settle';
import type { System } from './system';
import { makeCurrent } from './versions';

export interface Progress {
  readonly line: (text: string) => void;
  /** The latest of its kind; told now and then. */
  readonly status: (text: string) => void;
}

const TOLD_EVERY_MS = 5_000;
const READY_WITHIN_MS = 60_000;

export async function runChaos(
  system: System,
  wishes: ChaosWishes,
  progress: Progress,
): Promise<Report> {
  const cast = createCast(system, wishes);
  await startVersions(cast);
  const struck = await strain(system, cast, wishes, progress);
  progress.line('  the load is over; healing');
  await heal(system, cast);
  const { database, operator, desk, partners } = cast;
  const told = await makeFinalRound(desk, partners);
  const settling = await settle({
    ...{ database, operator, patienceSeconds: wishes.patienceSeconds },
    onLook: (open) =>
      progress.status(
        `open: ${open.created} created, ${open.authorized} authorized, ${open.owed} webhooks`,
      ),
  });
  progress.line(
    `  ${settling.isSettled ? 'settled' : 'NOT settled'} after ${settling.seconds.toFixed(0)} s; asking all sources`,
  );
  const report = await judge(system, cast, wishes, { struck, settling, told });
  await cast.close();
  return report;
}

async function startVersions({ client }: Cast): Promise<void> {
  const isTaken = await makeCurrent(client, 'build-1', READY_WITHIN_MS);
  if (!isTaken) throw new Error('Temporal does not take the builds of the workers');
}

/** Load, faults and operations, for as long as it was asked for. Answers what struck. */
async function strain(
  system: System,
  cast: Cast,
  { seconds, seed, only }: ChaosWishes,
  { line, status }: Progress,
): Promise<readonly string[]> {
  const over = AbortSignal.timeout(seconds * 1_000);
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  const struck: string[] = [];
  const strike = async (fault: ScheduledFault) => {
    const tools = { ...cast, system };
    const act = strikeOf(fault);
    await pause(Math.max(0, fault.atMs - elapsed()));
    line(`  ${(elapsed() / 1_000).toFixed(1).padStart(6)} s  ${describe(fault)}`);
    const times = await act(fault, tools);
    for (let time = 0; time < times; time += 1) struck.push(fault.kind);
  };
  const telling = setInterval(() => {
    const { begun, underWay } = cast.load;
    status(
      `${(elapsed() / 1_000).toFixed(0)} s: ${begun()} payments begun, ${underWay()} under way`,
    );
  }, TOLD_EVERY_MS);
  await Promise.all([
    cast.load.run(over),
    makeRounds({ ...cast, providerUrl: system.servers.provider }, over),
    ...drawSchedule({ seed, seconds, only }).map(strike),
  ]).finally(() => clearInterval(telling));
  return struck;
}

function describe({ kind, targets, detail, lastsMs }: ScheduledFault): string {
  const lasts = lastsMs > 1 ? ` for ${(lastsMs / 1_000).toFixed(1)} s` : '';
  return [kind, targets.join(' and '), detail].filter((part) => part !== '').join(', ') + lasts;
}

/** Whatever is still harmed is mended; what was sent again as it is, is answered. */
async function heal(system: System, { desk, clocks }: Cast): Promise<void> {
  system.links.mend();
  system.disk.free();
  for (const api of APIS) {
    const isReady = await until(() => system.isReady(api), { timeoutMs: READY_WITHIN_MS });
    if (!isReady)
      throw new Error(`${api} does not come back; its log is in ${system.directory}/logs`);
    clocks.set(api, 0);
  }
  await desk.drain();
}

interface Outcome {
  readonly struck: readonly string[];
  readonly settling: Settling;
  readonly told: Finding;
}

async function judge(
  system: System,
  cast: Cast,
  { seconds, seed }: ChaosWishes,
  { struck, settling, told }: Outcome,
): Promise<Report> {
  const { database, client, desk, operator, load } = cast;
  const search = createSecretSearch(knownSecrets(system.secrets, system.partners));
  const evidence = await collect({
    ...{ system, database, client, search },
    answers: desk.answers,
    operatorAnswers: operator.answers,
  });
  const rows = [...evidence.rows.values()];
  const magic = rows.filter(({ cents, transitions }) => cents > 40_000 && transitions.length > 0);
  return {
    ...{ seconds, seed },
    faults: { ...countsOf(struck), ...countsOf(magic.map(({ cents }) => `provider ${cents}`)) },
    payments: rows.length,
    invariants: [
      ...checkAll(evidence, { staysVisible: STAYS_VISIBLE, nowMs: Date.now() }),
      told,
      search.finding(),
      settledInTime(settling, rows.length),
      {
        name: 'the harness made no mistake',
        checked: load.begun(),
        violations: load.mistakes.length,
        examples: load.mistakes.slice(0, 3),
      },
    ],
    settled_after_seconds: Math.round(settling.seconds),
    webhooks_sent_again: settling.replayed,
    skipped: system.disk.whyNot === undefined ? {} : { 'full disk': system.disk.whyNot },
    answers: countsOf(desk.answers.map(({ asked, status }) => `${asked} ${status ?? 'none'}`)),
    ends: countsOf(rows.map(({ status }) => status)),
  };
}

function settledInTime({ isSettled, open, seconds }: Settling, checked: number): Finding {
  const left = `${open.created} created, ${open.authorized} authorized and ${open.owed} webhooks are left after ${seconds.toFixed(0)} s`;
  return {
    name: 'all is settled within ninety seconds of the last fault',
    checked,
    violations: isSettled ? 0 : 1,
    examples: isSettled ? [] : [left],
  };
}
