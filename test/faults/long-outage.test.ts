// Postgres is away for 20 s during a confirm (architecture, section 3, rule R2), longer than any
// caller waits. Each payment is paid at most once, every answer is true, and a request that was
// answered 503 can be repeated. The three outages run at the same time, each in a separate world.
import { until } from '../../src/dev/until';
import { isSettled, parseIntentStatus } from '../../src/domain/intents/transitions';
import { scheduleByTimer } from '../../src/sandbox/schedule';
import type { Reply } from '../support/app';
import { recogniseErrorsOfNode } from '../support/builders';
import { startOwnPostgres } from '../support/servers/own-postgres';
import type { CutProxy } from './cut-proxy';
import { createLatch } from './live/latch';
import type { HeldStep } from './live/held-steps';
import { said, truthOf } from './live/payer';
import { ledgerViolations, openLiveSetup, type LiveSetup } from './live/setup';

recogniseErrorsOfNode();

const AWAY_FOR_MS = 20_000;
/** The workflow retries a payout that could not be recorded every ten seconds. */
const SETTLED_WITHIN = { timeoutMs: 45_000, everyMs: 100 };
const CENTS = 1_250;
/** src/sandbox/scenarios.ts */
const DECLINED_CENTS = 40_001;
const UNAVAILABLE = '503, Retry-After 1';

interface Outage {
  readonly live: LiveSetup;
  /** Resolves when Postgres is away; `isBack` resolves when it is available again. */
  goAway(): Promise<{ readonly isBack: Promise<void> }>;
}

const OUTAGES: Readonly<Record<string, () => Promise<Outage>>> = {
  'all connections are cut, and new ones at once': byProxy((proxy) => proxy.cut()),
  'connections stay open without answers, and requests arrive late': byProxy((proxy) =>
    proxy.mute(),
  ),
  'its process is killed and restarted on its committed data': async () => {
    const postgres = await startOwnPostgres();
    const live = await openLiveSetup({ on: postgres.database });
    return { live, goAway: () => postgres.killFor(AWAY_FOR_MS) };
  },
};

function byProxy(begin: (proxy: CutProxy) => void): () => Promise<Outage> {
  return async () => {
    const live = await openLiveSetup();
    const { proxy } = live.world;
    return {
      live,
      goAway() {
        const back = createLatch();
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

/** The answer during the outage, the answers to two repeats after it, and the final state. */
const PAID_ONCE: Outcome = {
  ...{ during: UNAVAILABLE, repeats: ['200 captured', '401'] },
  truth: { status: 'captured', moved: ['capture', 'debit'], executed: [CENTS] },
};
const GIVEN_BACK: Outcome = {
  ...{ during: UNAVAILABLE, repeats: ['200 failed', '401'] },
  truth: { status: 'failed', moved: ['debit', 'release'], executed: [] },
};
const CANCELLED: Outcome = {
  ...{ during: UNAVAILABLE, repeats: ['200 cancelled', '409'] },
  truth: { status: 'cancelled', moved: [], executed: [] },
};

interface Outcome {
  readonly during: string;
  readonly repeats: readonly string[];
  readonly truth: Awaited<ReturnType<typeof truthOf>>;
}

/**
 * A confirm or a cancel, the step that has begun but not happened when the outage begins, and the
 * expected outcome.
 */
type Case = readonly ['confirm' | 'cancel', HeldStep | 'nothing yet', Outcome];

const CASES: readonly Case[] = [
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

async function beginCase({ world, payer }: LiveSetup, [what, at]: Case) {
  const intent = await payer.create({ cents: at === 'fail' ? DECLINED_CENTS : CENTS });
  const token = payer.mint(intent);
  const send = () => (what === 'confirm' ? payer.confirm(intent, token) : payer.cancel(intent));
  if (at === 'nothing yet') return { intent, send };
  const hold = world.holds.hold(intent.intentId, at);
  const { confirming: answer } =
    what === 'confirm'
      ? await payer.confirmUntil(hold, intent, token)
      : { confirming: payer.cancel(intent) };
  await hold.begun;
  return { intent, send, hold, answer };
}

/** `200 captured`, `409`, or `503, Retry-After 1`. */
function answerText(reply: Reply): string {
  const wait = reply.headers['retry-after'];
  return wait === undefined ? said(reply) : `${said(reply)}, Retry-After ${wait}`;
}

async function runOutage({ live, goAway }: Outage) {
  const { world, payer } = live;
  const payments = await Promise.all(CASES.map((one) => beginCase(live, one)));
  const otherIntent = await payer.create();
  const { isBack } = await goAway();
  for (const { hold } of payments) hold?.release();
  const answers = Promise.all(payments.map(({ send, answer }) => answer ?? send()));
  const others = {
    read: answerText(await payer.read(otherIntent)),
    create: answerText(await payer.tryCreate()),
  };
  const during = (await answers).map(answerText);
  await isBack;
  const begun = payments.filter(({ hold }) => hold !== undefined);
  // The first connections after the outage may still fail.
  const areSettled = () =>
    Promise.all(begun.map(({ intent }) => truthOf(world, intent))).then(
      (truths) => truths.every(({ status }) => isSettled(parseIntentStatus(status))),
      () => false,
    );
  await until(areSettled, SETTLED_WITHIN);
  const outcomes: Outcome[] = [];
  for (const [index, { intent, send }] of payments.entries()) {
    const repeats = [answerText(await send()), answerText(await send())];
    const truth = await truthOf(world, intent);
    outcomes.push({ during: during[index] ?? '', repeats, truth });
  }
  const attempts = payments.map(({ hold }) => hold?.times ?? 0);
  return { outcomes, others, attempts, violated: await ledgerViolations(world) };
}

const found = new Map<string, Awaited<ReturnType<typeof runOutage>>>();
beforeAll(async () => {
  const outages = Object.entries(OUTAGES).map(async ([name, open]) => {
    const outage = await open();
    found.set(name, await runOutage(outage).finally(() => outage.live.close()));
  });
  // All end before one that failed is reported: their workers must not outlast this file.
  const ended = await Promise.allSettled(outages);
  const failed = ended.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
});

describe.each(Object.keys(OUTAGES))('Postgres is away for twenty seconds: %s;', (outage) => {
  it.each(CASES.map((one, index) => [...one, index] as const))(
    'a %s at step %s is answered 503, and its repeat gets the final status once',
    (_what, _at, outcome, index) => {
      expect(found.get(outage)?.outcomes[index]).toEqual(outcome);
    },
  );

  it('a read and a create during the outage are answered 503 with Retry-After', () => {
    expect(found.get(outage)?.others).toEqual({ read: UNAVAILABLE, create: UNAVAILABLE });
  });

  it('the workers have retried, and no ledger check is violated', () => {
    const { attempts = [], violated } = found.get(outage) ?? {};
    expect(Math.max(...attempts)).toBeGreaterThan(3);
    expect(violated).toEqual([]);
  });
});
