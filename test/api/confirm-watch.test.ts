// Decision 5 and rule R2: confirms that wait for their intent's row share their reads of it; and each is answered from the rows
// all the same.
import { createRowWatch } from '../../api/intents/row-watch';
import { createMemoryKeySets, createSimulatedRunner, startApp } from '../support/app';
import { withDatabase, withPartner } from '../support/brackets';
import { anIntent, anIntentId, aTokenUse, move, times } from '../support/builders';
import { mintToken } from '../support/partner';

const never = () => new AbortController().signal;

/** A row that is undecided until told. */
function aWatchedRow() {
  const state = { isUndecided: true, reads: 0, failure: undefined as Error | undefined };
  const watch = createRowWatch(async () => {
    state.reads += 1;
    await Promise.resolve();
    if (state.failure !== undefined) throw state.failure;
    return state.isUndecided;
  });
  return { state, watch };
}

describe('those who wait for a row', () => {
  it('share one read at a time, and all are told', async () => {
    const { state, watch } = aWatchedRow();
    const id = anIntentId();
    const all = times(300, () => watch.untilDecided(id, never()));
    expect(state.reads).toBe(1);
    state.isUndecided = false;
    expect(new Set(await all)).toEqual(new Set([true]));
    expect(state.reads).toBeLessThan(4);
  });

  it('read less and less often', async () => {
    const { state, watch } = aWatchedRow();
    const over = watch.untilDecided(anIntentId(), AbortSignal.timeout(400));
    await expect(over).resolves.toBe(false);
    // At 0, 50, 150 and 350 ms.
    expect(state.reads).toBeLessThan(5);
  });

  it('are not told of another row, and may stop', async () => {
    const stop = new AbortController();
    const [one, two] = [anIntentId(), anIntentId()];
    const watch = createRowWatch((id) => Promise.resolve(id === one));
    const told = [watch.untilDecided(one, stop.signal), watch.untilDecided(two, never())];
    await expect(told[1]).resolves.toBe(true);
    stop.abort();
    await expect(told[0]).resolves.toBe(false);
  });

  it('may stop while a read hangs', async () => {
    const stop = new AbortController();
    const watch = createRowWatch(() => new Promise(() => undefined));
    const told = watch.untilDecided(anIntentId(), stop.signal);
    stop.abort();
    await expect(told).resolves.toBe(false);
  });

  it('do not read when they need not wait', async () => {
    const { state, watch } = aWatchedRow();
    await expect(watch.untilDecided(anIntentId(), AbortSignal.abort())).resolves.toBe(false);
    expect(state.reads).toBe(0);
  });

  it('are all told that the database is away, and the next one reads again', async () => {
    const { state, watch } = aWatchedRow();
    const id = anIntentId();
    state.failure = new Error('away');
    const told = await Promise.allSettled(
      [never(), never()].map((stop) => watch.untilDecided(id, stop)),
    );
    expect(told.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    Object.assign(state, { failure: undefined, isUndecided: false });
    await expect(watch.untilDecided(id, never())).resolves.toBe(true);
  });
});

describe('confirms of one intent whose run does not answer', () => {
  const bed = withDatabase();
  const partner = withPartner(bed);

  it('cost the database no read each, and are answered from the rows once those say what became of it', async () => {
    let asked = 0;
    let reads = 0;
    let release: () => void = () => undefined;
    const allAsked = new Promise<void>((resolve) => {
      release = resolve;
    });
    const silent = createSimulatedRunner(bed, { mode: 'silent' }, { begun: [], payouts: [] });
    const app = await startApp(bed, {
      keySets: createMemoryKeySets([partner]),
      runner: {
        ...silent,
        confirm(...args) {
          if ((asked += 1) === 60) release();
          return silent.confirm(...args);
        },
      },
      aroundIntents: (intents) => ({
        ...intents,
        find(id) {
          reads += 1;
          return intents.find(id);
        },
      }),
    });
    const intent = await anIntent(bed, partner);
    const token = mintToken(partner, intent);
    const headers = { Prefer: 'respond-async' };
    const replies = times(60, () => app.confirm(intent, token, { headers }));
    await allAsked;
    await move(bed, intent.intentId, 'authorize', { token: aTokenUse(partner) });
    const statuses = (await replies).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, ...Array<number>(59).fill(401)]);
    expect(reads).toBeLessThan(60);
    await app.close();
  });
});
