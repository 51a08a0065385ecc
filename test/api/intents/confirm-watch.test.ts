// Decision 5 and rule R2: confirms that wait for their intent's row share the reads of it, and each
// is still answered from the rows.
import { createRowWatch } from '../../../api/intents/row-watch';
import { until } from '../../../src/dev/until';
import type { IntentStatus } from '../../../src/domain/intents/payment-intent';
import type { PaymentRunner } from '../../../src/ports/intents';
import { createLatch } from '../../faults/live/latch';
import { createMemoryKeySets, createSimulatedRunner, SETTINGS, startApp } from '../../support/app';
import { withDatabase, withPartner } from '../../support/brackets';
import { anIntent, anIntentId, aTokenUse, move, times } from '../../support/builders';
import { mintToken } from '../../support/payments/partner';

const TIMEOUT = { timeoutMs: 10_000 };
const never = () => new AbortController().signal;

/**
 * A watch on rows that all have the status of `state`. `reads` has the number of ids of each read.
 */
function watchedRows() {
  const state = { status: 'created' as IntentStatus, reads: [] as number[], isDown: false };
  const watch = createRowWatch(async (ids) => {
    state.reads.push(ids.length);
    await Promise.resolve();
    if (state.isDown) throw new Error('down');
    return new Map(ids.map((id) => [id, state.status]));
  });
  return { state, watch };
}

describe('callers that wait for a row', () => {
  it('share the reads of it', async () => {
    const { state, watch } = watchedRows();
    const id = anIntentId();
    const all = times(300, () => watch.until(id, 'decided', never()));
    state.status = 'authorized';
    expect(new Set(await all)).toEqual(new Set([true]));
    expect(state.reads).toEqual([1]);
  });

  it('share the reads with callers that wait for other rows', async () => {
    const { state, watch } = watchedRows();
    const all = times(3, () => watch.until(anIntentId(), 'decided', never()));
    state.status = 'cancelled';
    await all;
    expect(state.reads).toEqual([3]);
  });

  it.each([
    ['decided', 'authorized', true],
    ['settled', 'authorized', false],
    ['settled', 'captured', true],
    ['settled', 'expired', true],
    ['decided', 'created', false],
  ] as const)('until it is %s: %s is %s', async (milestone, status, expected) => {
    const { state, watch } = watchedRows();
    state.status = status;
    const stop = new AbortController();
    const waiting = watch.until(anIntentId(), milestone, stop.signal);
    await until(() => Promise.resolve(state.reads.length > 1 || expected), TIMEOUT);
    if (!expected) stop.abort();
    await expect(waiting).resolves.toBe(expected);
  });

  it('do not return for another row, and return false when stopped', async () => {
    const stop = new AbortController();
    const [one, two] = [anIntentId(), anIntentId()];
    const watch = createRowWatch(() => Promise.resolve(new Map([[two, 'captured' as const]])));
    const [first, second] = [one, two].map((id) => watch.until(id, 'settled', stop.signal));
    await expect(second).resolves.toBe(true);
    stop.abort();
    await expect(first).resolves.toBe(false);
  });

  it('can be stopped while a read hangs', async () => {
    const stop = new AbortController();
    const hasBegun = createLatch();
    const watch = createRowWatch(() => {
      hasBegun.open();
      return new Promise(() => undefined);
    });
    const waiting = watch.until(anIntentId(), 'decided', stop.signal);
    await hasBegun.isOpen;
    stop.abort();
    await expect(waiting).resolves.toBe(false);
  });

  it('cause no read when they are already stopped', async () => {
    const { state, watch } = watchedRows();
    await expect(watch.until(anIntentId(), 'decided', AbortSignal.abort())).resolves.toBe(false);
    expect(state.reads).toEqual([]);
  });

  it('keep waiting while the database is down', async () => {
    const { state, watch } = watchedRows();
    Object.assign(state, { isDown: true, status: 'captured' });
    const waiting = watch.until(anIntentId(), 'settled', never());
    await until(() => Promise.resolve(state.reads.length > 0), TIMEOUT);
    state.isDown = false;
    await expect(waiting).resolves.toBe(true);
  });
});

describe('confirms of one intent whose workflow does not answer', () => {
  const bed = withDatabase();
  const partner = withPartner(bed);
  /** A runner that answers no confirm, and calls `onConfirm` for each. */
  function silentRunner(onConfirm: () => void): PaymentRunner {
    const silent = createSimulatedRunner(bed, { mode: 'silent' }, { begun: [], payouts: [] });
    return {
      ...silent,
      confirm(...args) {
        onConfirm();
        return silent.confirm(...args);
      },
    };
  }

  it('share reads of the database, and are answered from the rows once decided', async () => {
    let confirms = 0;
    let reads = 0;
    let release: () => void = () => undefined;
    const allConfirming = new Promise<void>((resolve) => {
      release = resolve;
    });
    const app = await startApp(bed, {
      keySets: createMemoryKeySets([partner]),
      runner: silentRunner(() => {
        if ((confirms += 1) === 60) release();
      }),
      aroundIntents: (intents) => ({
        ...intents,
        statuses(ids) {
          reads += 1;
          return intents.statuses(ids);
        },
      }),
    });
    const intent = await anIntent(bed, partner);
    const token = mintToken(partner, intent);
    const headers = { Prefer: 'respond-async' };
    const replies = times(60, () => app.confirm(intent, token, { headers }));
    await allConfirming;
    await move(bed, intent.intentId, 'authorize', { token: aTokenUse(partner) });
    const statuses = (await replies).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, ...Array<number>(59).fill(401)]);
    expect(reads).toBeLessThan(60);
    await app.close();
  });

  it(
    'are answered once the row is settled, long before their wait is over',
    async () => {
      const isConfirming = createLatch();
      const app = await startApp(bed, {
        keySets: createMemoryKeySets([partner]),
        runner: silentRunner(isConfirming.open),
      });
      const intent = await anIntent(bed, partner);
      const reply = app.confirm(intent, mintToken(partner, intent));
      await isConfirming.isOpen;
      await move(bed, intent.intentId, 'cancel');
      expect((await reply).status).toBe(409);
      await app.close();
    },
    SETTINGS.confirmWaitMs / 2,
  );
});
