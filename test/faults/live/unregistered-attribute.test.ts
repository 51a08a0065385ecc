// A namespace that has lost a search attribute, as after it was made anew by hand: each task that writes it fails. What the task had
// done by then is done, and no attempt of it sends again.
import { until } from '../../../src/dev/until';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { readOne } from '../../../src/postgres/database';
import { registerSearchAttributes } from '../../../src/temporal/search-attributes';
import { PAYMENT_STATUS } from '../../../workflows/messages/messages';
import { recogniseErrorsOfNode } from '../../support/builders';
import { isDone, statusWhen, withLiveScene } from './setup';
import { truthOf } from './payer';

recogniseErrorsOfNode();

const TEST_TIMEOUT_MS = 120_000;
const PATIENCE = { timeoutMs: 60_000 };
const CENTS = 1_250;
/** Of WorkflowTaskFailedCause. */
const BAD_SEARCH_ATTRIBUTES = 23;

const { world, payer } = withLiveScene();

const workflowOf = ({ intentId }: PaymentIntent) => world.client.workflow.getHandle(intentId);

/** Created, and its workflow in its start delay. */
async function aWaitingPayment(): Promise<PaymentIntent> {
  const intent = await payer.create();
  const isStarted = () => isDone(workflowOf(intent).describe());
  await expect(until(isStarted, PATIENCE)).resolves.toBe(true);
  return intent;
}

async function unregister(): Promise<void> {
  const { connection, options } = world.client;
  await connection.operatorService.removeSearchAttributes({
    namespace: options.namespace,
    searchAttributes: [PAYMENT_STATUS.name],
  });
}

function registerAgain(): Promise<void> {
  const { connection, options } = world.client;
  return registerSearchAttributes(connection, options.namespace);
}

async function untilTaskFails(intent: PaymentIntent): Promise<void> {
  const hasFailed = async () => {
    const { events } = await workflowOf(intent).fetchHistory();
    const failed = (events ?? []).map((event) => event.workflowTaskFailedEventAttributes?.cause);
    return failed.includes(BAD_SEARCH_ATTRIBUTES);
  };
  await expect(until(hasFailed, PATIENCE)).resolves.toBe(true);
}

async function attemptsAt({ intentId }: PaymentIntent): Promise<number> {
  const { attempts } = await readOne<{ readonly attempts: number }>(world.bed.database, {
    text: 'select attempts from payouts where intent_id = $1',
    values: [intentId],
  });
  return attempts;
}

/** That its task has completed, in the attribute that failed it. */
async function untilShown(intent: PaymentIntent): Promise<void> {
  const isShown = async () => {
    const { typedSearchAttributes } = await workflowOf(intent).describe();
    return typedSearchAttributes.get(PAYMENT_STATUS) === 'captured';
  };
  await expect(until(isShown, PATIENCE)).resolves.toBe(true);
}

it.each([
  ['that the provider pays at once', false],
  ['that the provider leaves undecided', true],
])(
  'a payment %s is sent once, and goes on when the attribute is there again',
  async (_how, isHeld) => {
    const intent = await aWaitingPayment();
    const hold = isHeld ? world.holds.hold(intent.intentId, 'order') : undefined;
    await unregister();
    const confirming = payer.confirm(intent);
    await untilTaskFails(intent);
    hold?.letGo();
    await confirming;
    await registerAgain();
    await untilShown(intent);
    await expect(statusWhen(world, intent, 'captured')).resolves.toBe('captured');
    await expect(truthOf(world, intent)).resolves.toMatchObject({ executed: [CENTS] });
    expect(await attemptsAt(intent)).toBeLessThanOrEqual(2);
  },
  TEST_TIMEOUT_MS,
);
