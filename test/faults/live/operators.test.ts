// "A run terminated, cancelled or reset by an operator, a workflow that vanished": at every step of a payment, against a real
// Temporal server. Each ends true and paid once, and its payer is told the truth (architecture, section 3, "Starting and
// repairing", rules R1 and R2).
import { until } from '../../../src/dev/until';
import { recogniseErrorsOfNode } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { said, truthOf } from './payer';
import { openLiveScene, reconcilerOf, vanish, type LiveScene } from './setup';
import type { LiveWorld } from './world';
import type { HeldStep } from './holds';

recogniseErrorsOfNode();

const ALL_TIMEOUT_MS = 150_000;
/** A row that was authorized is looked at after this, and then as often again. */
const SWEPT_EVERY_SECONDS = 31;
const SWEEPS_MAX = 9;
const PAID_ONCE = { status: 'captured', moved: ['capture', 'debit'], executed: [1_250] };

const RESET = 'is reset to its first task';

type Deed = (world: LiveWorld, intentId: string) => Promise<unknown>;

const DEEDS: Readonly<Record<string, Deed>> = {
  'is terminated': ({ client }, intentId) =>
    client.workflow.getHandle(intentId).terminate('an operator'),
  'is cancelled': ({ client }, intentId) => client.workflow.getHandle(intentId).cancel(),
  [RESET]: reset,
  vanishes: vanish,
};

const STEPS: readonly HeldStep[] = ['authorize', 'debit', 'payOut', 'order', 'capture', 'hear'];
/** In its first task there is nothing to go back to. */
const CASES = Object.keys(DEEDS)
  .flatMap((deed) => STEPS.map((step) => [deed, step] as const))
  .filter(([deed, step]) => deed !== RESET || step !== 'authorize');

async function reset({ client }: LiveWorld, intentId: string): Promise<void> {
  const finishedTask = async () => {
    const { events } = await client.workflow.getHandle(intentId).fetchHistory();
    return events?.find((event) => event.workflowTaskCompletedEventAttributes)?.eventId;
  };
  // A task whose step is held ends by a heartbeat after four seconds.
  await until(async () => Boolean(await finishedTask()), { timeoutMs: 10_000 });
  const workflowTaskFinishEventId = await finishedTask();
  if (!workflowTaskFinishEventId) throw new Error('the run has ended no task yet');
  await client.workflowService.resetWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId: intentId },
    reason: 'an operator',
    requestId: intentId,
    workflowTaskFinishEventId,
  });
}

interface Course {
  readonly answers: readonly string[];
  readonly truth: Awaited<ReturnType<typeof truthOf>>;
}

/** Confirmed, and met by the deed when the step has begun. */
async function meet({ world, payer }: LiveScene, deed: Deed | undefined, step: HeldStep) {
  const intent = await payer.create();
  const token = payer.mint(intent);
  const hold = world.holds.hold(intent.intentId, step);
  const confirming = payer.confirm(intent, token);
  await hold.begun;
  await deed?.(world, intent.intentId);
  hold.letGo();
  return { intent, token, confirming };
}

/** What a worker does by itself every few seconds, with the clock turned on in between. */
async function sweepUntil(world: LiveWorld, areDone: () => Promise<boolean>) {
  const reconciler = reconcilerOf(world);
  for (let sweeps = 1; sweeps <= SWEEPS_MAX; sweeps += 1) {
    await world.bed.setNow(secondsAfter(NOON, sweeps * SWEPT_EVERY_SECONDS));
    await reconciler.poll();
    if (await until(areDone, { timeoutMs: 3_000, everyMs: 100 })) return;
  }
}

const found = new Map<string, Course>();
beforeAll(async () => {
  const scene = await openLiveScene();
  const { world, payer } = scene;
  try {
    const met = await Promise.all(
      CASES.map(async ([deed, step]) => ({
        name: `${deed} ${step}`,
        ...(await meet(scene, DEEDS[deed], step)),
      })),
    );
    const areCaptured = async () => {
      const truths = await Promise.all(met.map(({ intent }) => truthOf(world, intent)));
      return truths.every(({ status }) => status === 'captured');
    };
    await sweepUntil(world, areCaptured);
    for (const { name, intent, token, confirming } of met) {
      const answers = [await confirming, await payer.confirm(intent, token)].map(said);
      found.set(name, { answers, truth: await truthOf(world, intent) });
    }
  } finally {
    await scene.close();
  }
}, ALL_TIMEOUT_MS);

/** One of the two is told 200, whichever could be answered first. */
const TRUE_ANSWERS = [
  ['200 captured', '401'],
  ['200 authorized', '401'],
  ['503', '200 captured'],
];

it.each(CASES)(
  'a run that %s when it was about to %s: paid once, and its payer told so once',
  (deed, step) => {
    const course = found.get(`${deed} ${step}`);
    expect(course?.truth).toEqual(PAID_ONCE);
    expect(TRUE_ANSWERS).toContainEqual(course?.answers);
  },
);
