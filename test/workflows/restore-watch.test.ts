// The restore watch (decision 127): its workflow under time skipping, real Postgres, and either of
// them restored.
import { tsToMs } from '@temporalio/common/lib/time';
import { until } from '../../src/dev/until';
import { listPayoutStops } from '../../src/postgres/payouts/stops';
import { ensureRestoreWatch } from '../../src/temporal/starts';
import { RESTORE_WATCH_ID, RESTORE_WATCH_QUEUE } from '../../workflows/messages/messages';
import { inPaymentWorld, type PaymentWorld } from '../support/payment-world';
import { shownInUi } from '../support/servers/temporal-ui';

/** 480 ticks, each a step over a real Postgres. */
const LONG_TEST_MS = 120_000;

const ensure = ({ environment }: PaymentWorld) => ensureRestoreWatch(environment.client);
const watchOf = ({ environment }: PaymentWorld) =>
  environment.client.workflow.getHandle(RESTORE_WATCH_ID);
const stopsOf = async ({ database }: PaymentWorld) =>
  (await listPayoutStops(database)).map(({ actor, reason }) => `${actor}: ${reason}`);

async function ticksOf({ database }: PaymentWorld): Promise<number> {
  const { rows } = await database.query<{ readonly ticks: number }>({
    text: 'select ticks from restore_watch',
  });
  return rows[0]?.ticks ?? -1;
}

/** Lets time pass until Postgres has this count. */
async function untilTicked(world: PaymentWorld, ticks: number): Promise<void> {
  for (let waited = 0; waited < 4 * ticks; waited += 1) {
    if ((await ticksOf(world)) >= ticks) return;
    await world.environment.sleep('15 s');
  }
  throw new Error(`Postgres has ${String(await ticksOf(world))} ticks instead of ${String(ticks)}`);
}

/** Sets the count back, as a restore of Postgres does. */
const restoreTicks = ({ database }: PaymentWorld, ticks: number) =>
  database.query({ text: 'update restore_watch set ticks = $1', values: [ticks] });

it(
  'equal counts stop nothing, across continue-as-new and repeated starts',
  () =>
    inPaymentWorld({ taskQueue: RESTORE_WATCH_QUEUE }, async (world) => {
      await ensure(world);
      const { runId } = await watchOf(world).describe();
      await untilTicked(world, 5);
      await ensure(world);
      await untilTicked(world, 485);
      const next = await watchOf(world).describe();
      expect(next.runId).not.toBe(runId);
      expect(next.status.name).toBe('RUNNING');
      expect(tsToMs(next.raw.executionConfig?.defaultWorkflowTaskTimeout)).toBe(5_000);
      await expect(stopsOf(world)).resolves.toEqual([]);
    }),
  LONG_TEST_MS,
);

it('a restored Postgres stops payouts once, with the time it went back to, and counts on', () =>
  inPaymentWorld({ taskQueue: RESTORE_WATCH_QUEUE }, async (world) => {
    await ensure(world);
    await untilTicked(world, 5);
    await restoreTicks(world, 2);
    await untilTicked(world, 8);
    await expect(stopsOf(world)).resolves.toEqual([
      expect.stringMatching(/^system: Postgres went back to about \S+Z; Temporal remembers until /),
    ]);
    const { currentDetails } = await shownInUi(watchOf(world));
    expect(currentDetails).toMatch(/^\*\*Payouts were stopped:\*\* Postgres went back to about /);
  }));

it('a second restore of Postgres to a later time does not count as a restore of Temporal', () =>
  inPaymentWorld({ taskQueue: RESTORE_WATCH_QUEUE }, async (world) => {
    await ensure(world);
    await untilTicked(world, 20);
    await restoreTicks(world, 5);
    await untilTicked(world, 8);
    await restoreTicks(world, 15);
    await untilTicked(world, 18);
    const stops = await stopsOf(world);
    expect(stops).toHaveLength(2);
    expect(stops.filter((stop) => !stop.startsWith('system: Postgres went back'))).toEqual([]);
  }));

it('a lost Temporal database stops payouts once', () =>
  inPaymentWorld({ taskQueue: RESTORE_WATCH_QUEUE }, async (world) => {
    await restoreTicks(world, 40);
    await ensure(world);
    await untilTicked(world, 44);
    await expect(stopsOf(world)).resolves.toEqual([
      expect.stringMatching(/^system: Temporal was lost, or the run restore-watch was ended; /),
    ]);
  }));

it("Temporal's own cancel has no effect", () =>
  inPaymentWorld({ taskQueue: RESTORE_WATCH_QUEUE }, async (world) => {
    await ensure(world);
    await untilTicked(world, 2);
    await watchOf(world).cancel();
    await untilTicked(world, 6);
    const isRunning = async () => (await watchOf(world).describe()).status.name === 'RUNNING';
    await expect(until(isRunning, { timeoutMs: 5_000 })).resolves.toBe(true);
    await expect(stopsOf(world)).resolves.toEqual([]);
  }));
