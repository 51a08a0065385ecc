// Bench `lost-rows`: 500 workflows whose rows Postgres has lost must not slow other confirms
// (decision 133). Confirms are measured before the loss, while the 500 wake and find no row, and
// while they wait for their rows.
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../../../src/dev/until';
import { toPaymentStart, type PaymentStart } from '../../../src/domain/intents/payment-start';
import { allowPayouts } from '../../../src/postgres/payouts/stops';
import { remindPayment } from '../../../src/temporal/payment-start';
import { INSTALLATION } from '../../support/builders';
import { cpuBetween, createCpuTotals, type CpuTotals } from '../figures/cpu-times';
import type { Random } from '../load/random';
import {
  atMost,
  noSlowerThan,
  type Counter,
  type Findings,
  type Result,
  type Bench,
} from '../figures/report';
import { readingsOf, REFERENCE } from '../figures/rounds';
import type { Stand } from '../stand';
import { failedOf, p50sMs, p99Ms, spreadOf, type Confirmed } from './steady-confirms';
import { CONFIRMS_PER_SECOND, openTwoPartners, type TwoPartners } from './two-partners';

interface Loss {
  readonly size: number;
  /** Long enough that all workflows read again, after a minute. */
  readonly measuredSeconds: number;
}

const LOSS: Loss = { size: 500, measuredSeconds: 120 };
const QUICK_LOSS: Loss = { size: 20, measuredSeconds: 5 };
const FOUND_WITHIN_SECONDS = 90;
const STOPPED_WITHIN_SECONDS = 30;
/**
 * Ten times the rate at which 500 workflows with one deadline wake by themselves, 1 to 10 minutes
 * after it (decision 132).
 */
const WAKE_EVERY_MS = 100;
const READ_EVERY_MS = 250;
const P99_MAX_MS = 2_000;
const P50_FACTOR_MAX = 1.5;
const ROUND_CONFIRMS = 10 * CONFIRMS_PER_SECOND;

export const lostRows: Bench = {
  name: 'lost-rows',
  settings: {
    ...LOSS,
    confirms_per_second: CONFIRMS_PER_SECOND,
    ours: 'API and worker; a provider and an endpoint that answer at once',
    confirms: 'of payments of another partner; after the loss, of rows younger than its stop',
    cpu: 'ms a second',
  },
  run: async (stand) => [await measure(stand.isQuick ? QUICK_LOSS : LOSS, stand)],
};

async function measure({ size, measuredSeconds }: Loss, stand: Stand): Promise<Findings> {
  const title = `lost-rows: ${String(size)}`;
  const setup = await openTwoPartners(stand);
  const cpuTotals = createCpuTotals(`${title}, a second`);
  const bench = { setup, cpuTotals, stand, title };
  const wait = () => pause(measuredSeconds * 1_000);
  const before = await confirmDuring(bench, 'before the loss', measuredSeconds, wait);
  // One extra row: its workflow causes the stop, which is lifted before the other workflows wake.
  const [first, ...lost] = await loseRows(setup, size + 1);
  await stopAndAllow(setup, first);
  const woken = await confirmDuring(bench, 'while they wake', FOUND_WITHIN_SECONDS, () =>
    wakeAll(setup, lost),
  );
  const beside = await confirmDuring(bench, 'while they wait', measuredSeconds, wait);
  const notWaiting = lost.length + 1 - (await countWaiting(setup));
  const phases = [before, woken, beside] as const;
  const counters = [
    ...countersOf(title, phases),
    atMost(`${title}, workflows that do not wait for their row`, notWaiting, 0),
  ];
  const percentiles = phases.map(({ name, confirmed }) => spreadOf(title, name, confirmed));
  const results = p50Results(`${title}, p50 beside them, ms`, before, beside, stand.random);
  return { results, counters, percentiles, cpu: cpuTotals.costs() };
}

interface Running {
  readonly setup: TwoPartners;
  readonly cpuTotals: CpuTotals;
  readonly stand: Stand;
  readonly title: string;
}

interface Phase {
  readonly name: string;
  readonly seconds: number;
  readonly confirmed: readonly Confirmed[];
}

/** Confirms payments until the work is done. Enough payments for `secondsMax` are made before. */
async function confirmDuring(
  { setup, cpuTotals, stand: { world, printProgress }, title }: Running,
  name: string,
  secondsMax: number,
  work: () => Promise<unknown>,
): Promise<Phase> {
  printProgress(`${title}: ${name}`);
  const others = await setup.beginOthers(CONFIRMS_PER_SECOND * secondsMax);
  const [startedAt, cpuBefore] = [Date.now(), world.cpuTimes()];
  const confirms = setup.confirm(others);
  await work();
  const seconds = (Date.now() - startedAt) / 1_000;
  cpuTotals.add(name, seconds, cpuBetween(cpuBefore, world.cpuTimes()));
  const confirmed = await confirms.stop();
  return { name, seconds, confirmed };
}

function countersOf(title: string, phases: readonly [Phase, Phase, Phase]): readonly Counter[] {
  const [, woken, beside] = phases;
  const confirmed = phases.flatMap((phase) => phase.confirmed);
  return [
    atMost(`${title}, confirms not answered 200`, failedOf(confirmed), 0),
    ...[woken, beside].map(({ name, confirmed }) =>
      atMost(`${title}, p99 of confirms ${name}, ms`, p99Ms(confirmed), P99_MAX_MS),
    ),
    atMost(`${title}, all found no row after, s`, Math.ceil(woken.seconds), FOUND_WITHIN_SECONDS),
  ];
}

/** Ten seconds of both phases make a round. No control: the phases cannot take turns. */
function p50Results(name: string, before: Phase, beside: Phase, random: Random): readonly Result[] {
  const ours = p50sMs(beside.confirmed, ROUND_CONFIRMS);
  const rounds = p50sMs(before.confirmed, ROUND_CONFIRMS).map(
    (p50, nth) => new Map([[REFERENCE, p50] as const, ['ours', ours[nth] ?? Number.NaN] as const]),
  );
  const evaluate = noSlowerThan(P50_FACTOR_MAX);
  return [...readingsOf(rounds, random).values()].map((one) => evaluate(name, one, true));
}

/** The workflows are in their start delay, like all workflows that wait for a confirm. */
async function loseRows(setup: TwoPartners, count: number): Promise<readonly PaymentStart[]> {
  const begun = await setup.beginAffected(count);
  const text = 'delete from payment_intents where partner_id = $1';
  await setup.database.query({ text, values: [setup.affected.partnerId] });
  return begun.map(({ intent }) => toPaymentStart(intent, INSTALLATION.id));
}

/** Causes a stop and lifts it. Rows that are older than a lifted stop cause no further stop. */
async function stopAndAllow({ client, database }: TwoPartners, lost?: PaymentStart) {
  if (lost === undefined) throw new Error('no row was lost');
  await remindPayment(client, lost);
  const allowance = { actor: 'bench', reason: 'the rows were lost on purpose' };
  const isLifted = async () =>
    (await allowPayouts(database, { ...allowance, isAfterRestore: true })).length > 0;
  if (await until(isLifted, { timeoutMs: STOPPED_WITHIN_SECONDS * 1_000 })) return;
  throw new Error('a workflow whose row was lost did not stop payouts');
}

/** Wakes one workflow after another. Returns when all have found no row and wait on a timer. */
async function wakeAll(setup: TwoPartners, lost: readonly PaymentStart[]): Promise<void> {
  for (const payment of lost)
    await Promise.all([remindPayment(setup.client, payment), pause(WAKE_EVERY_MS)]);
  const areWaiting = async () => (await countWaiting(setup)) > lost.length;
  const bounds = { timeoutMs: FOUND_WITHIN_SECONDS * 1_000, everyMs: READ_EVERY_MS };
  if (await until(areWaiting, bounds)) return;
  throw new Error('not every workflow whose row was lost has found that');
}

/** A workflow sets NeedsAttention in the same task that starts its timer. */
function countWaiting({ countAffected }: TwoPartners): Promise<number> {
  return countAffected(`NeedsAttention = true and ExecutionStatus = 'Running'`);
}
