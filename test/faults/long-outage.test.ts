// "Postgres away for 20 s in the middle of a confirm" (architecture, section 3, rule R2): longer than any caller waits. Each
// payment ends true and is paid at most once, every answer is true, and what was told 503 may be repeated. The three
// outages go by at the same time, each in a world of its own.
import { recogniseErrorsOfNode } from '../support/builders';
import { quietTemporal } from '../support/quiet-temporal';
import { openPayer } from './live-payer';
import {
  courseOf,
  heard,
  setOut,
  untilSettled,
  violatedIn,
  type Course,
  type Errand,
  type Scene,
} from './outage-errands';
import { OUTAGES, type Outage } from './outages';
import { bundledWorkflows } from '../support/workflow-bundle';

recogniseErrorsOfNode();

const AWAY_FOR_MS = 20_000;
const ALL_TIMEOUT_MS = 180_000;
/** Of src/sandbox/scenarios.ts. */
const DECLINED_CENTS = 40_001;

const UNAVAILABLE = '503, Retry-After 1';
const CONFIRM = { what: 'confirm', cents: 1_250 } as const;
const CANCEL = { what: 'cancel', cents: 1_250 } as const;

const ERRANDS: Readonly<Record<string, Errand>> = {
  'a confirm, before the intent is authorized': { ...CONFIRM, at: 'authorize' },
  'a confirm, before the holding account is debited': { ...CONFIRM, at: 'debit' },
  'a confirm, before the payout is recorded': { ...CONFIRM, at: 'payOut' },
  'a confirm, while the order is on its way to the provider': { ...CONFIRM, at: 'order' },
  'a confirm, before the intent is captured': { ...CONFIRM, at: 'capture' },
  'a confirm, before a declined payout is written down': {
    ...CONFIRM,
    cents: DECLINED_CENTS,
    at: 'fail',
  },
  'a confirm that comes only then': { ...CONFIRM, at: null },
  'a cancel, before it is written': { ...CANCEL, at: 'cancel' },
  'a cancel that comes only then': { ...CANCEL, at: null },
};

const PAID_ONCE: Course = {
  during: UNAVAILABLE,
  repeats: ['200 captured', '401'],
  truth: { status: 'captured', moved: ['capture', 'debit'], executed: [1_250] },
};
const GIVEN_BACK: Course = {
  ...PAID_ONCE,
  repeats: ['200 failed', '401'],
  truth: { status: 'failed', moved: ['debit', 'release'], executed: [] },
};
const CANCELLED: Course = {
  ...PAID_ONCE,
  repeats: ['200 cancelled', '409'],
  truth: { status: 'cancelled', moved: [], executed: [] },
};

function endingOf({ what, cents }: Errand): Course {
  if (what === 'cancel') return CANCELLED;
  return cents === DECLINED_CENTS ? GIVEN_BACK : PAID_ONCE;
}

interface Findings {
  readonly courses: ReadonlyMap<string, Course>;
  /** What else was asked for while Postgres was away, and told. */
  readonly others: Readonly<Record<string, string>>;
  /** How often each step that was under way was tried. */
  readonly attempts: readonly number[];
  readonly violated: readonly string[];
}

async function throughIt(outage: Outage): Promise<Findings> {
  const { world } = outage;
  const payer = await openPayer(world);
  try {
    return await find(outage, { world, payer });
  } finally {
    await payer.close();
    await world.close();
  }
}

async function find({ world, goAwayFor }: Outage, scene: Scene): Promise<Findings> {
  const { payer } = scene;
  const names = Object.keys(ERRANDS);
  const payments = await Promise.all(Object.values(ERRANDS).map((one) => setOut(scene, one)));
  const bystander = await payer.create();
  const { isBack } = await goAwayFor(AWAY_FOR_MS);
  for (const { hold } of payments) hold?.letGo();
  const answers = Promise.all(payments.map(({ ask, answer }) => answer ?? ask()));
  const others = {
    read: heard(await payer.read(bystander)),
    create: heard(await payer.tryCreate()),
  };
  const during = await answers;
  await isBack;
  await untilSettled(scene, payments);
  const courses = new Map<string, Course>();
  for (const [index, payment] of payments.entries()) {
    const reply = during[index];
    if (reply !== undefined) courses.set(names[index] ?? '', await courseOf(scene, payment, reply));
  }
  const attempts = payments.flatMap(({ hold }) => hold?.times ?? []);
  return { courses, others, attempts, violated: await violatedIn(world) };
}

const found = new Map<string, Findings>();
beforeAll(async () => {
  quietTemporal();
  const bundle = await bundledWorkflows();
  const outages = Object.entries(OUTAGES).map(async ([name, open]) => {
    found.set(name, await throughIt(await open(bundle)));
  });
  await Promise.all(outages);
}, ALL_TIMEOUT_MS);

describe.each(Object.keys(OUTAGES))('Postgres is away for twenty seconds: %s;', (outage) => {
  it.each(Object.entries(ERRANDS))(
    '%s: told 503, ends true, and repeated is told so once',
    (name, errand) => {
      expect(found.get(outage)?.courses.get(name)).toEqual(endingOf(errand));
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
