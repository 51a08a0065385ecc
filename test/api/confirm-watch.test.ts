// Decision 5 and rule R2: confirms that wait for their intent's row look at it together, less and less often; and each
// is answered from the rows all the same.
import { randomBytes } from 'node:crypto';
import { createApp } from '../../api/app';
import { createRowWatch } from '../../api/intents/row-watch';
import { closeServer, createApiServer } from '../../api/server';
import type { IntentId } from '../../src/domain/ids';
import { listen } from '../../src/main/listen';
import type { PaymentRunner } from '../../src/ports/payment-runner';
import { createMemoryKeySets, createSimulatedRunner, NO_CHECKOUT, SETTINGS } from '../support/app';
import {
  anIntent,
  anIntentId,
  aTokenUse,
  openTestBed,
  times,
  type TestBed,
  INSTALLATION,
} from '../support/builders';
import { contractFetch } from '../support/contract';
import { aPartner, mintToken, type TestPartner } from '../support/partner';

const never = () => new AbortController().signal;
const nothing = () => undefined;

/** A row that is undecided until told, and a watch whose waits end when the test says so. */
function aWatchedRow() {
  const state = { isUndecided: true, looks: 0, failure: undefined as Error | undefined };
  const waits: { readonly ms: number; readonly end: () => void; readonly stop: AbortSignal }[] = [];
  const watch = createRowWatch({
    async isUndecided() {
      state.looks += 1;
      await Promise.resolve();
      if (state.failure !== undefined) throw state.failure;
      return state.isUndecided;
    },
    wait: (ms, stop) =>
      new Promise((resolve) => {
        stop.addEventListener('abort', () => resolve());
        waits.push({ ms, end: resolve, stop });
      }),
  });
  /** Lets whatever can go on without the end of a wait do so. */
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const endWait = async () => {
    await settle();
    waits.at(-1)?.end();
    await settle();
  };
  return { state, waits, watch, settle, endWait };
}

describe('those who wait for a row', () => {
  it('share one look at a time, and all are told', async () => {
    const { state, watch, endWait } = aWatchedRow();
    const id = anIntentId();
    const all = times(300, () => watch.untilDecided(id, never()));
    await endWait();
    state.isUndecided = false;
    await endWait();
    expect(new Set(await all)).toEqual(new Set([true]));
    expect(state.looks).toBe(3);
  });

  it('look less and less often, up to every half second', async () => {
    const { state, waits, watch, endWait } = aWatchedRow();
    const told = watch.untilDecided(anIntentId(), never());
    for (let round = 0; round < 6; round += 1) await endWait();
    expect(waits.map(({ ms }) => ms)).toEqual([50, 100, 200, 400, 500, 500, 500]);
    state.isUndecided = false;
    await endWait();
    await expect(told).resolves.toBe(true);
  });

  it('are not told of another row', async () => {
    const { state, watch, endWait } = aWatchedRow();
    const stop = new AbortController();
    const [one, two] = [
      watch.untilDecided(anIntentId(), stop.signal),
      watch.untilDecided(anIntentId(), never()),
    ];
    await endWait();
    state.isUndecided = false;
    await endWait();
    stop.abort();
    await expect(Promise.all([one, two])).resolves.toEqual([false, true]);
  });

  it('may stop, and the last of them ends the looking', async () => {
    const { state, waits, watch, settle } = aWatchedRow();
    const id = anIntentId();
    const [first, second] = [new AbortController(), new AbortController()];
    const told = [watch.untilDecided(id, first.signal), watch.untilDecided(id, second.signal)];
    await settle();
    first.abort();
    await expect(told[0]).resolves.toBe(false);
    expect(waits[0]?.stop.aborted).toBe(false);
    second.abort();
    await expect(told[1]).resolves.toBe(false);
    expect(waits[0]?.stop.aborted).toBe(true);
    await settle();
    expect(state.looks).toBe(1);
    state.isUndecided = false;
    await expect(watch.untilDecided(id, never())).resolves.toBe(true);
  });

  it('do not look when they need not wait', async () => {
    const { state, watch } = aWatchedRow();
    await expect(watch.untilDecided(anIntentId(), AbortSignal.abort())).resolves.toBe(false);
    expect(state.looks).toBe(0);
  });

  it('are all told that the database is away, and the next one looks again', async () => {
    const { state, watch } = aWatchedRow();
    const id = anIntentId();
    state.failure = new Error('away');
    const told = await Promise.allSettled([
      watch.untilDecided(id, never()),
      watch.untilDecided(id, never()),
    ]);
    expect(told.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    Object.assign(state, { failure: undefined, isUndecided: false });
    await expect(watch.untilDecided(id, never())).resolves.toBe(true);
  });
});

describe('confirms of one intent whose run does not answer', () => {
  let bed: TestBed;
  let partner: TestPartner;
  beforeAll(async () => {
    bed = await openTestBed();
    partner = await aPartner(bed);
  });
  afterAll(() => bed.close());

  /** Orchestration that has all it is asked, and says nothing until the caller gives up. */
  function aSilentRunner(isFull: (asked: number) => void): PaymentRunner {
    let asked = 0;
    const silent = createSimulatedRunner(bed, { mode: 'silent' }, { begun: [], payouts: [] });
    return {
      ...silent,
      confirm(...args) {
        asked += 1;
        isFull(asked);
        return silent.confirm(...args);
      },
    };
  }

  async function openApi(runner: PaymentRunner) {
    const looks = { count: 0 };
    const randomness = { bytes: (count: number) => randomBytes(count) };
    const find = (id: IntentId) => {
      looks.count += 1;
      return bed.intents.find(id);
    };
    const log = { info: nothing, warn: nothing, error: nothing };
    const app = createApp({
      ...bed,
      intents: { ...bed.intents, find },
      keySets: createMemoryKeySets([partner]),
      runner,
      randomness,
      installation: INSTALLATION,
      log,
      requestLog: { answered: nothing },
      metrics: {
        requestAnswered: nothing,
        credentialsRefused: nothing,
        keySetAsked: nothing,
      },
      checkout: NO_CHECKOUT,
      isDatabaseUp: () => Promise.resolve(true),
      settings: SETTINGS,
    });
    const server = createApiServer({
      handler: app.callback(),
      envelope: 'flat',
      randomness,
      clock: bed.clock,
    });
    return { server, looks, port: await listen(server, 0, '127.0.0.1') };
  }

  it('cost the database no look each, and are answered from the rows once those say what became of it', async () => {
    let release: () => void = nothing;
    const allAsked = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { server, looks, port } = await openApi(
      aSilentRunner((asked) => {
        if (asked === 60) release();
      }),
    );
    const { intentId, ...intent } = await anIntent(bed, partner);
    const token = mintToken(partner, { intentId, ...intent });
    const replies = times(60, () =>
      contractFetch(`http://127.0.0.1:${String(port)}/v1/payment_intents/${intentId}/confirm`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, Prefer: 'respond-async' },
      }),
    );
    await allAsked;
    const change = { intentId, from: 'created', event: 'authorize', actor: 'payer' } as const;
    await bed.intents.transition({ ...change, token: aTokenUse(partner) });
    const statuses = (await replies).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 401]));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(looks.count).toBeLessThan(60);
    await closeServer(server, 1_000);
  });
});
