// Bench `expiry-wave`: thousands of deadlines in one second, and confirms of other payments beside them (architecture, section 8:
// p99 of confirms at most 2 s throughout, every row `expired` within 60 s).
import { setTimeout as pause } from 'node:timers/promises';
import { cpuBetween, openCpuBook, type CpuBook } from './cpu-times';
import { atMost, type Counter, type Findings } from './report';
import type { Bench, Stand } from './stand';
import { p99Ms, spreadOf, type Confirmed } from './steady-confirms';
import { CONFIRMS_PER_SECOND, openTwoPartners } from './two-partners';

interface Wave {
  readonly size: number;
  /** After the deadline, or until its last workflow has ended. */
  readonly watchedSeconds: number;
  /** For its workflows to adopt that their payments have expired, where that is waited for: ten minutes and some. */
  readonly endedWithinSeconds?: number;
}

const WAVES: readonly Wave[] = [
  { size: 1_500, watchedSeconds: 120 },
  { size: 5_000, watchedSeconds: 660, endedWithinSeconds: 620 },
];
const QUICK_WAVE: Wave = { size: 50, watchedSeconds: 10 };
const BEFORE_SECONDS = 10;
/** Rows and workflows of a wave are made no slower than this, or there is no figure. */
const MADE_PER_SECOND = 50;
const EXPIRED_WITHIN_SECONDS = 60;
const P99_MAX_MS = 2_000;
const LOOK_EVERY_MS = 500;

export const expiryWave: readonly Bench[] = WAVES.map((wave) => ({
  name: 'expiry-wave',
  settings: {
    waves: WAVES,
    confirms_per_second: CONFIRMS_PER_SECOND,
    ours: 'API and worker; a provider and an endpoint that answer at once',
    confirms: 'of payments of another partner, from ten seconds before the wave',
    cpu: 'ms a second',
  },
  run: (stand) => measure(stand.isQuick ? QUICK_WAVE : wave, stand),
}));

async function measure(wave: Wave, stand: Stand): Promise<Findings> {
  const { size, watchedSeconds } = wave;
  const title = `expiry-wave: ${String(size)}`;
  const scene = await openScene(stand);
  const others = await scene.others.begin(
    CONFIRMS_PER_SECOND * (2 * BEFORE_SECONDS + watchedSeconds),
  );
  stand.tell(`${title}: making the wave`);
  const madeMs = (2 * BEFORE_SECONDS + Math.ceil(size / MADE_PER_SECOND)) * 1_000;
  const deadlineMs = Math.ceil((Date.now() + madeMs) / 1_000) * 1_000;
  await scene.wave.begin(size, deadlineMs);
  const book = openCpuBook(`${title}, a second`);
  const confirms = await beforeDeadline(deadlineMs, () => scene.confirm(others));
  const watch = {
    scene,
    book,
    endsAtMs: deadlineMs + watchedSeconds * 1_000,
    deadlineMs,
    tell: (text: string) => stand.tell(`${title}: ${text}`),
  };
  const phases = {
    before: await phase(watch, stand, 'before the wave', () =>
      Promise.resolve(Date.now() > deadlineMs),
    ),
    expired: await phase(watch, stand, 'until its rows are expired', scene.wave.isExpired),
    ended: await phase(watch, stand, 'until its workflows have ended', scene.wave.isEnded),
  };
  const confirmed = await confirms.stop();
  await scene.close();
  const counters = countersOf(title, wave, { confirmed, deadlineMs, ...phases });
  const percentiles = minutesOf(confirmed, deadlineMs).map(([minute, some]) =>
    spreadOf(title, `minute ${String(minute)}`, some),
  );
  return { results: [], counters, percentiles, cpu: book.costs() };
}

async function beforeDeadline<Result>(deadlineMs: number, begin: () => Result): Promise<Result> {
  const leftMs = deadlineMs - BEFORE_SECONDS * 1_000 - Date.now();
  if (leftMs < 0) throw new Error('the wave was not made in time: something else runs here');
  await pause(leftMs);
  return begin();
}

interface Watch {
  readonly scene: Scene;
  readonly book: CpuBook;
  readonly deadlineMs: number;
  readonly endsAtMs: number;
  readonly tell: (text: string) => void;
}

/** @returns milliseconds since the deadline at its end, NaN when there was none in time */
async function phase(
  { scene, book, deadlineMs, endsAtMs, tell }: Watch,
  { world }: Stand,
  name: string,
  isOver: () => Promise<boolean>,
): Promise<number> {
  const [startedAt, before] = [Date.now(), world.cpuTimes()];
  let hasEnded = await isOver();
  while (!hasEnded && Date.now() < endsAtMs) {
    tell(`${name}: ${await scene.wave.left()} left`);
    await pause(LOOK_EVERY_MS);
    hasEnded = await isOver();
  }
  book.add(name, (Date.now() - startedAt) / 1_000, cpuBetween(before, world.cpuTimes()));
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
  const failed = confirmed.filter(({ status }) => status !== 200).length;
  const worst = Math.max(...minutesOf(confirmed, deadlineMs).map(([, some]) => p99Ms(some)));
  const seconds = (name: string, ms: number, limit: number) =>
    atMost(`${title}, last ${name} after, s`, Math.ceil(ms / 1_000), limit);
  return [
    atMost(`${title}, confirms not answered 200`, failed, 0),
    atMost(`${title}, p99 of confirms in the worst minute, ms`, worst, P99_MAX_MS),
    seconds('row expired', expired, EXPIRED_WITHIN_SECONDS),
    ...(endedWithinSeconds === undefined
      ? []
      : [seconds('workflow ended', ended, endedWithinSeconds)]),
  ];
}

/** By minutes since the deadline. */
function minutesOf(confirmed: readonly Confirmed[], deadlineMs: number) {
  const minutes = new Map<number, Confirmed[]>();
  for (const one of confirmed) {
    const minute = Math.floor((one.atMs - deadlineMs) / 60_000);
    minutes.set(minute, [...(minutes.get(minute) ?? []), one]);
  }
  return [...minutes];
}

type Scene = Awaited<ReturnType<typeof openScene>>;

async function openScene(stand: Stand) {
  const { affected, database, countAffected, ...setup } = await openTwoPartners(stand);
  const rows = async () => {
    const text = `select count(*) from payment_intents where status = 'created' and partner_id = $1`;
    const values = [affected.partnerId];
    const found = await database.query<{ readonly count: number }>({ text, values });
    return found.rows[0]?.count ?? Number.NaN;
  };
  const workflows = () => countAffected(`ExecutionStatus = 'Running'`);
  return {
    others: { begin: setup.beginOthers },
    wave: {
      begin: setup.beginAffected,
      isExpired: async () => (await rows()) === 0,
      isEnded: async () => (await workflows()) === 0,
      left: async () => `${String(await rows())} rows, ${String(await workflows())} workflows`,
    },
    confirm: setup.confirm,
    close: setup.close,
  };
}
