// A workflow is terminated, cancelled, reset or deleted at each step of a payment, on a real
// Temporal server. Each payment is paid once, and its payer gets true answers (architecture,
// section 3, "Starting and repairing", rules R1 and R2).
import { until } from '../../../src/dev/until';
import { recogniseErrorsOfNode } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { said, truthOf } from './payer';
import { openLiveSetup, repairerOf, vanish, type LiveSetup } from './setup';
import type { LiveWorld } from './world';
import type { HeldStep } from './held-steps';

recogniseErrorsOfNode();

/** The workflow repairer reads an authorized row after this time, and then in the same interval. */
const POLLED_EVERY_SECONDS = 31;
const POLLS_MAX = 9;
const PAID_ONCE = { status: 'captured', moved: ['capture', 'debit'], executed: [1_250] };

const RESET = 'is reset to its first task';

type Action = (world: LiveWorld, intentId: string) => Promise<unknown>;

const ACTIONS: Readonly<Record<string, Action>> = {
  'is terminated': ({ client }, intentId) =>
    client.workflow.getHandle(intentId).terminate('an operator'),
  'is cancelled': ({ client }, intentId) => client.workflow.getHandle(intentId).cancel(),
  [RESET]: reset,
  vanishes: vanish,
};

const STEPS: readonly HeldStep[] = ['authorize', 'debit', 'payOut', 'order', 'capture', 'hear'];
/** A reset needs a completed task, so it is left out for the first step. */
const CASES = Object.keys(ACTIONS)
  .flatMap((action) => STEPS.map((step) => [action, step] as const))
  .filter(([action, step]) => action !== RESET || step !== 'authorize');

async function reset({ client }: LiveWorld, intentId: string): Promise<void> {
  const finishedTask = async () => {
    const { events } = await client.workflow.getHandle(intentId).fetchHistory();
    return events?.find((event) => event.workflowTaskCompletedEventAttributes)?.eventId;
  };
  // A task with a held step completes by a heartbeat after four seconds.
  await until(async () => Boolean(await finishedTask()), { timeoutMs: 10_000 });
  const workflowTaskFinishEventId = await finishedTask();
  if (!workflowTaskFinishEventId) throw new Error('the workflow has completed no task yet');
  await client.workflowService.resetWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId: intentId },
    reason: 'an operator',
    requestId: intentId,
    workflowTaskFinishEventId,
  });
}

interface Outcome {
  readonly answers: readonly string[];
  readonly truth: Awaited<ReturnType<typeof truthOf>>;
}

/** Confirms a new payment, and runs the action when the step has begun. */
async function startAndAct(
  { world, payer }: LiveSetup,
  action: Action | undefined,
  step: HeldStep,
) {
  const intent = await payer.create();
  const token = payer.mint(intent);
  const hold = world.holds.hold(intent.intentId, step);
  const { confirming } = await payer.confirmUntil(hold, intent, token);
  await action?.(world, intent.intentId);
  hold.release();
  return { intent, token, confirming };
}

/** Polls as a worker does every few seconds, and advances the clock before each poll. */
async function pollUntil(world: LiveWorld, areDone: () => Promise<boolean>) {
  const repairer = repairerOf(world);
  for (let polls = 1; polls <= POLLS_MAX; polls += 1) {
    await world.bed.setNow(secondsAfter(NOON, polls * POLLED_EVERY_SECONDS));
    await repairer.poll();
    if (await until(areDone, { timeoutMs: 3_000, everyMs: 100 })) return;
  }
}

const found = new Map<string, Outcome>();
beforeAll(async () => {
  const live = await openLiveSetup();
  const { world, payer } = live;
  try {
    const started = await Promise.all(
      CASES.map(async ([action, step]) => ({
        name: `${action} ${step}`,
        ...(await startAndAct(live, ACTIONS[action], step)),
      })),
    );
    const areCaptured = async () => {
      const truths = await Promise.all(started.map(({ intent }) => truthOf(world, intent)));
      return truths.every(({ status }) => status === 'captured');
    };
    await pollUntil(world, areCaptured);
    for (const { name, intent, token, confirming } of started) {
      const answers = [await confirming, await payer.confirm(intent, token)].map(said);
      found.set(name, { answers, truth: await truthOf(world, intent) });
    }
  } finally {
    await live.close();
  }
});

/** Exactly one of the two confirms is answered 200: the one that could be answered first. */
const TRUE_ANSWERS = [
  ['200 captured', '401'],
  ['200 authorized', '401'],
  ['503', '200 captured'],
];

it.each(CASES)(
  'a payment whose workflow %s before %s is paid once and answered 200 once',
  (action, step) => {
    const outcome = found.get(`${action} ${step}`);
    expect(outcome?.truth).toEqual(PAID_ONCE);
    expect(TRUE_ANSWERS).toContainEqual(outcome?.answers);
  },
);
