// Bench `expiry-wave`: thousands of deadlines in one second, with confirms of other payments beside
// them: p99 of confirms at most 2 s throughout, every row `expired` within 60 s.
import { setTimeout as pause } from 'node:timers/promises';
import { cpuBetween, createCpuTotals, type CpuTotals } from '../figures/cpu-times';
import { startBusyLoops } from '../load/busy-loops';
import { atMost, type Counter, type Findings, type Bench } from '../figures/report';
import type { Stand } from '../stand';
import { failedOf, p99Ms, spreadOf, type Confirmed } from './steady-confirms';
import { CONFIRMS_PER_SECOND, openTwoPartners, type TwoPartners } from './two-partners';

interface Wave {
  readonly size: number;
  /** Watched for this long after the deadline, or until the last workflow has ended. */
  readonly watchedSeconds: number;
  /**
   * Limit for the workflows to adopt the expiry, if the bench waits for that. They wake within ten
   * minutes.
   */
  readonly endedWithinSeconds?: number;
  /** No workflow was started for these rows, and other programs use every core. */
  readonly isNeverStarted?: boolean | undefined;
}

const WAVES: readonly Wave[] = [
  { size: 1_500, watchedSeconds: 120 },
  { size: 5_000, watchedSeconds: 660, endedWithinSeconds: 620 },
  { size: 5_000, watchedSeconds: 120, isNeverStarted: true },
];
const QUICK_WAVE: Wave = { size: 50, watchedSeconds: 10 };
const BEFORE_SECONDS = 10;
/** The bench fails when rows and workflows of a wave are made slower than this. */
const MADE_PER_SECOND = 50;
const EXPIRED_WITHIN_SECONDS = 60;
const P99_MAX_MS = 2_000;
const READ_EVERY_MS = 500;

export const expiryWave: readonly Bench[] = WAVES.map((wave) => ({
  name: 'expiry-wave',
  settings: {
    waves: WAVES,
    confirms_per_second: CONFIRMS_PER_SECOND,
    ours: 'API and worker; a provider and an endpoint that answer at once',
    confirms: 'of payments of another partner, from ten seconds before the wave',
    never_started: 'rows without workflows, one busy loop a core beside',
    cpu: 'ms a second',
  },
  run: async (stand) => [
    await measure(
      stand.isQuick ? { ...QUICK_WAVE, isNeverStarted: wave.isNeverStarted } : wave,
      stand,
    ),
  ],
}));

async function measure(wave: Wave, stand: Stand): Promise<Findings> {
  const { size, watchedSeconds, isNeverStarted = false } = wave;
  const title = `expiry-wave: ${String(size)}${isNeverStarted ? ' never started' : ''}`;
  const setup = await openTwoPartners(stand);
  const left = watchWave(setup);
  const others = await setup.beginOthers(
    CONFIRMS_PER_SECOND * (2 * BEFORE_SECONDS + watchedSeconds),
  );
  stand.printProgress(`${title}: making the wave`);
  const madeMs = (2 * BEFORE_SECONDS + Math.ceil(size / MADE_PER_SECOND)) * 1_000;
  const deadlineMs = Math.ceil((Date.now() + madeMs) / 1_000) * 1_000;
  await setup.beginAffected(size, { deadlineMs, areStartsLost: isNeverStarted });
  if (isNeverStarted) stand.world.atTheEnd(startBusyLoops());
  const confirms = await beforeDeadline(deadlineMs, () => setup.confirm(others));
  const cpuTotals = createCpuTotals(`${title}, a second`);
  const watch = {
    left,
    cpuTotals,
    title,
    deadlineMs,
    endsAtMs: deadlineMs + watchedSeconds * 1_000,
  };
  await phase(watch, stand, 'before the wave', () => Promise.resolve(Date.now() > deadlineMs));
  const expired = await phase(
    watch,
    stand,
    'until its rows are expired',
    async () => (await left.rows()) === 0,
  );
  const ended = await phase(
    watch,
    stand,
    'until its workflows have ended',
    async () => (await left.workflows()) === 0,
  );
  const confirmed = await confirms.stop();
  const percentiles = minutesOf(confirmed, deadlineMs).map(([minute, some]) =>
    spreadOf(title, `minute ${String(minute)}`, some),
  );
  const counters = countersOf(title, wave, { confirmed, deadlineMs, expired, ended });
  return { counters, percentiles, cpu: cpuTotals.costs() };
}

type Left = ReturnType<typeof watchWave>;

/** Counts the rows and workflows of the wave that have not ended yet. */
function watchWave({ affected, database, countAffected }: TwoPartners) {
  return {
    async rows() {
      const text = `select count(*) from payment_intents where status = 'created' and partner_id = $1`;
      const values = [affected.partnerId];
      const found = await database.query<{ readonly count: number }>({ text, values });
      return found.rows[0]?.count ?? Number.NaN;
    },
    workflows: () => countAffected(`ExecutionStatus = 'Running'`),
  };
}

async function beforeDeadline<Result>(deadlineMs: number, begin: () => Result): Promise<Result> {
  const leftMs = deadlineMs - BEFORE_SECONDS * 1_000 - Date.now();
  if (leftMs < 0) throw new Error('the wave was not made in time: something else runs here');
  await pause(leftMs);
  return begin();
}

interface Watch {
  readonly left: Left;
  readonly cpuTotals: CpuTotals;
  readonly title: string;
  readonly deadlineMs: number;
  readonly endsAtMs: number;
}

/**
 * @returns milliseconds from the deadline to the end of the phase, NaN when it did not end in time
 */
async function phase(
  { left, cpuTotals, title, deadlineMs, endsAtMs }: Watch,
  { world, printProgress }: Stand,
  name: string,
  isOver: () => Promise<boolean>,
): Promise<number> {
  const [startedAt, before] = [Date.now(), world.cpuTimes()];
  let hasEnded = await isOver();
  while (!hasEnded && Date.now() < endsAtMs) {
    const rest = `${String(await left.rows())} rows, ${String(await left.workflows())} workflows`;
    printProgress(`${title}: ${name}: ${rest} left`);
    await pause(READ_EVERY_MS);
    hasEnded = await isOver();
  }
  cpuTotals.add(name, (Date.now() - startedAt) / 1_000, cpuBetween(before, world.cpuTimes()));
  return hasEnded ? Date.now() - deadlineMs : Number.NaN;
}

interface Measured {
  readonly confirmed: readonly Confirmed[];
  readonly deadlineMs: number;
  readonly expired: number;
  readonly ended: number;
}

function countersOf(
  title: string,
  { endedWithinSeconds }: Wave,
  { confirmed, deadlineMs, expired, ended }: Measured,
): readonly Counter[] {
  const worst = Math.max(...minutesOf(confirmed, deadlineMs).map(([, some]) => p99Ms(some)));
  const seconds = (name: string, ms: number, limit: number) =>
    atMost(`${title}, last ${name} after, s`, Math.ceil(ms / 1_000), limit);
  return [
    atMost(`${title}, confirms not answered 200`, failedOf(confirmed), 0),
    atMost(`${title}, p99 of confirms in the worst minute, ms`, worst, P99_MAX_MS),
    seconds('row expired', expired, EXPIRED_WITHIN_SECONDS),
    ...(endedWithinSeconds === undefined
      ? []
      : [seconds('workflow ended', ended, endedWithinSeconds)]),
  ];
}

/** Groups confirms by minutes since the deadline. */
function minutesOf(confirmed: readonly Confirmed[], deadlineMs: number) {
  const minutes = new Map<number, Confirmed[]>();
  for (const one of confirmed) {
    const minute = Math.floor((one.atMs - deadlineMs) / 60_000);
    minutes.set(minute, [...(minutes.get(minute) ?? []), one]);
  }
  return [...minutes];
}
