// A namespace without a search attribute, as when operators have recreated it: each task that
// writes the attribute fails. Its effects stay, and no repeated task sends the payout again.
import { until } from '../../../src/dev/until';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { readWorkflowState } from '../../../src/ops/intents/workflow-state';
import { readOne } from '../../../src/postgres/database';
import { registerSearchAttributes } from '../../../src/temporal/search-attributes';
import { PAYMENT_STATUS } from '../../../workflows/messages/messages';
import { recogniseErrorsOfNode } from '../../support/builders';
import { isDone, statusWhen, withLiveSetup } from './setup';
import { temporalAddress } from '../../support/servers/temporal-address';
import { truthOf } from './payer';

recogniseErrorsOfNode();

const WAIT = { timeoutMs: 60_000 };
const CENTS = 1_250;
/** A value of WorkflowTaskFailedCause. */
const BAD_SEARCH_ATTRIBUTES = 23;

const { world, payer } = withLiveSetup();

const workflowOf = ({ intentId }: PaymentIntent) => world.client.workflow.getHandle(intentId);

/** A created payment whose workflow is in its start delay. */
async function aWaitingPayment(): Promise<PaymentIntent> {
  const intent = await payer.create();
  const isStarted = () => isDone(workflowOf(intent).describe());
  await expect(until(isStarted, WAIT)).resolves.toBe(true);
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
  await expect(until(hasFailed, WAIT)).resolves.toBe(true);
}

/** What `payctl intents show` says of it. */
function stateOf({ intentId }: PaymentIntent) {
  const { namespace } = world.client.options;
  const temporal = { address: temporalAddress(), namespace };
  const config = { temporal, TEMPORAL_UI_URL: 'http://127.0.0.1:8233/' };
  return readWorkflowState({ config, database: world.bed.database }, intentId);
}

async function attemptsAt({ intentId }: PaymentIntent): Promise<number> {
  const { attempts } = await readOne<{ readonly attempts: number }>(world.bed.database, {
    text: 'select attempts from payouts where intent_id = $1',
    values: [intentId],
  });
  return attempts;
}

/** Waits until the attribute shows the status: the task has then completed. */
async function untilShown(intent: PaymentIntent): Promise<void> {
  const isShown = async () => {
    const { typedSearchAttributes } = await workflowOf(intent).describe();
    return typedSearchAttributes.get(PAYMENT_STATUS) === 'captured';
  };
  await expect(until(isShown, WAIT)).resolves.toBe(true);
}

it.each([
  ['that the provider pays at once', false],
  ['that the provider leaves undecided', true],
])(
  'a payment %s is sent once, and continues when the attribute is registered again',
  async (_how, isHeld) => {
    const intent = await aWaitingPayment();
    const hold = isHeld ? world.holds.hold(intent.intentId, 'order') : undefined;
    await unregister();
    const confirming = payer.confirm(intent);
    await untilTaskFails(intent);
    await expect(stateOf(intent)).resolves.toMatchObject({
      status: 'RUNNING',
      failing_task: { cause: 'BAD_SEARCH_ATTRIBUTES', message: expect.any(String) as string },
      ui_url: expect.stringMatching(`/workflows/${intent.intentId}$`) as string,
    });
    hold?.release();
    await confirming;
    await registerAgain();
    await untilShown(intent);
    await expect(statusWhen(world, intent, 'captured')).resolves.toBe('captured');
    await expect(truthOf(world, intent)).resolves.toMatchObject({ executed: [CENTS] });
    expect(await attemptsAt(intent)).toBeLessThanOrEqual(2);
  },
);
