// "Postgres away for 20 s in the middle of a confirm" (architecture, section 3, rule R2): longer than any caller waits. Each
// payment ends true and is paid at most once, every answer is true, and what was told 503 may be repeated. The three
// outages go by at the same time, each in a world of its own.
import { until } from '../../src/dev/until';
import { isSettled, parseIntentStatus } from '../../src/domain/intents/transitions';
import { scheduleByTimer } from '../../src/sandbox/schedule';
import type { Reply } from '../support/app';
import { recogniseErrorsOfNode } from '../support/builders';
import { startOwnPostgres } from '../support/servers/own-postgres';
import type { CutProxy } from './cut-proxy';
import { createGate } from './live/gates';
import type { HeldStep } from './live/holds';
import { said, truthOf } from './live/payer';
import { ledgerViolations, openLiveScene, type LiveScene } from './live/setup';

recogniseErrorsOfNode();

const AWAY_FOR_MS = 20_000;
/** A payout that could not be recorded is tried again every ten seconds. */
const SETTLED_WITHIN = { timeoutMs: 45_000, everyMs: 100 };
const ALL_TIMEOUT_MS = 180_000;
const CENTS = 1_250;
/** Of src/sandbox/scenarios.ts. */
const DECLINED_CENTS = 40_001;
const UNAVAILABLE = '503, Retry-After 1';

interface Outage {
  readonly scene: LiveScene;
  /** Comes back when Postgres is away; what it comes back with is over when Postgres is there again. */
  goAway(): Promise<{ readonly isBack: Promise<void> }>;
}

const OUTAGES: Readonly<Record<string, () => Promise<Outage>>> = {
  'every connection is cut, and every new one at once': byProxy((proxy) => proxy.cut()),
  'no connection ends, nothing is answered, and what was sent meanwhile arrives late': byProxy(
    (proxy) => proxy.mute(),
  ),
  'its process is killed, and a new one started on what it had committed': async () => {
    const postgres = await startOwnPostgres();
    const scene = await openLiveScene({ on: postgres.database });
    return { scene, goAway: () => postgres.killFor(AWAY_FOR_MS) };
  },
};

function byProxy(begin: (proxy: CutProxy) => void): () => Promise<Outage> {
  return async () => {
    const scene = await openLiveScene();
    const { proxy } = scene.world;
    return {
      scene,
      goAway() {
        const back = createGate();
        begin(proxy);
        scheduleByTimer(AWAY_FOR_MS, () => {
          proxy.mend();
          back.open();
        });
        return Promise.resolve({ isBack: back.isOpen });
      },
    };
  };
}

/** What was told while Postgres was away, what a repeat is told afterwards and then once more, and what is true. */
const PAID_ONCE: Course = {
  ...{ during: UNAVAILABLE, repeats: ['200 captured', '401'] },
  truth: { status: 'captured', moved: ['capture', 'debit'], executed: [CENTS] },
};
const GIVEN_BACK: Course = {
  ...{ during: UNAVAILABLE, repeats: ['200 failed', '401'] },
  truth: { status: 'failed', moved: ['debit', 'release'], executed: [] },
};
const CANCELLED: Course = {
  ...{ during: UNAVAILABLE, repeats: ['200 cancelled', '409'] },
  truth: { status: 'cancelled', moved: [], executed: [] },
};

interface Course {
  readonly during: string;
  readonly repeats: readonly string[];
  readonly truth: Awaited<ReturnType<typeof truthOf>>;
}

/** A confirm or a cancel, its step that has begun and not been made when Postgres goes away, and what comes of it. */
type Errand = readonly ['confirm' | 'cancel', HeldStep | 'nothing yet', Course];

const ERRANDS: readonly Errand[] = [
  ['confirm', 'authorize', PAID_ONCE],
  ['confirm', 'debit', PAID_ONCE],
  ['confirm', 'payOut', PAID_ONCE],
  ['confirm', 'order', PAID_ONCE],
  ['confirm', 'capture', PAID_ONCE],
  ['confirm', 'fail', GIVEN_BACK],
  ['confirm', 'nothing yet', PAID_ONCE],
  ['cancel', 'cancel', CANCELLED],
  ['cancel', 'nothing yet', CANCELLED],
];

async function setOut({ world, payer }: LiveScene, [what, at]: Errand) {
  const intent = await payer.create({ cents: at === 'fail' ? DECLINED_CENTS : CENTS });
  const token = payer.mint(intent);
  const ask = () => (what === 'confirm' ? payer.confirm(intent, token) : payer.cancel(intent));
  if (at === 'nothing yet') return { intent, ask };
  const hold = world.holds.hold(intent.intentId, at);
  const answer = ask();
  await hold.begun;
  return { intent, ask, hold, answer };
}

/** `200 captured`, `409`, or `503, Retry-After 1`. */
function heard(reply: Reply): string {
  const wait = reply.headers['retry-after'];
  return wait === undefined ? said(reply) : `${said(reply)}, Retry-After ${wait}`;
}

async function find({ scene, goAway }: Outage) {
  const { world, payer } = scene;
  const payments = await Promise.all(ERRANDS.map((errand) => setOut(scene, errand)));
  const bystander = await payer.create();
  const { isBack } = await goAway();
  for (const { hold } of payments) hold?.letGo();
  const answers = Promise.all(payments.map(({ ask, answer }) => answer ?? ask()));
  const others = {
    read: heard(await payer.read(bystander)),
    create: heard(await payer.tryCreate()),
  };
  const during = (await answers).map(heard);
  await isBack;
  const begun = payments.filter(({ hold }) => hold !== undefined);
  // The first connections after an outage may still fail.
  const areSettled = () =>
    Promise.all(begun.map(({ intent }) => truthOf(world, intent))).then(
      (truths) => truths.every(({ status }) => isSettled(parseIntentStatus(status))),
      () => false,
    );
  await until(areSettled, SETTLED_WITHIN);
  const courses: Course[] = [];
  for (const [index, { intent, ask }] of payments.entries()) {
    const repeats = [heard(await ask()), heard(await ask())];
    const truth = await truthOf(world, intent);
    courses.push({ during: during[index] ?? '', repeats, truth });
  }
  const attempts = payments.map(({ hold }) => hold?.times ?? 0);
  return { courses, others, attempts, violated: await ledgerViolations(world) };
}

const found = new Map<string, Awaited<ReturnType<typeof find>>>();
beforeAll(async () => {
  const outages = Object.entries(OUTAGES).map(async ([name, open]) => {
    const outage = await open();
    found.set(name, await find(outage).finally(() => outage.scene.close()));
  });
  await Promise.all(outages);
}, ALL_TIMEOUT_MS);

describe.each(Object.keys(OUTAGES))('Postgres is away for twenty seconds: %s;', (outage) => {
  it.each(ERRANDS.map((errand, index) => [...errand, index] as const))(
    'a %s, of which %s has begun: told 503, ends true, and repeated is told so once',
    (_what, _at, course, index) => {
      expect(found.get(outage)?.courses[index]).toEqual(course);
    },
  );

  it('whoever wants to read or to create meanwhile is told 503 with Retry-After', () => {
    expect(found.get(outage)?.others).toEqual({ read: UNAVAILABLE, create: UNAVAILABLE });
  });

  it('the workers tried again and again, and the ledger agrees with itself', () => {
    const { attempts = [], violated } = found.get(outage) ?? {};
    expect(Math.max(...attempts)).toBeGreaterThan(3);
    expect(violated).toEqual([]);
  });
});
