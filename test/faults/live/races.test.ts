// Races over real servers: the API, Temporal, Postgres, and a provider with a journal. Each race is
// decided once, and every answer is true: 200 only for a durable result, 409 only for a durable
// rejection (architecture, section 3, rule R2).
import { until } from '../../../src/dev/until';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { recogniseErrorsOfNode, times } from '../../support/builders';
import type { Reply } from '../../support/app';
import { said, truthOf } from './payer';
import { withLiveSetup } from './setup';

recogniseErrorsOfNode();

const WAIT = { timeoutMs: 20_000 };
const PAIRS_OF_A_KIND = 10;

const { world, payer } = withLiveSetup();

/** Number of updates that the workflow has accepted. */
async function acceptedBy({ intentId }: PaymentIntent): Promise<number> {
  const { events } = await world.client.workflow.getHandle(intentId).fetchHistory();
  return (events ?? []).filter((event) => event.workflowExecutionUpdateAcceptedEventAttributes)
    .length;
}

interface Pair {
  readonly confirm: string;
  readonly cancel: string;
  readonly status: string;
  readonly moved: readonly (string | undefined)[];
  readonly executed: readonly number[];
}

const PAID_ONCE = { status: 'captured', moved: ['capture', 'debit'], executed: [1_250] };
/** A payment that settles later than a confirm waits is answered `authorized`. */
const ACCEPTED = expect.stringMatching(/^200 (authorized|captured)$/) as string;
const PAID: Pair = { ...PAID_ONCE, confirm: ACCEPTED, cancel: '409' };
const GIVEN_BACK: Pair = {
  // A cancel reaches the workflow when the task of the debit completes, by a heartbeat after four
  // seconds.
  confirm: expect.stringMatching(/^200 (authorized|cancelled)$/) as string,
  cancel: '200 cancelled',
  status: 'cancelled',
  moved: ['debit', 'release'],
  executed: [],
};
const NEVER_CONFIRMED: Pair = { ...GIVEN_BACK, confirm: '409', moved: [] };

/** The answers and the provider journal that match this row and ledger. */
function agreementOf({ status, moved }: Pair): Pair {
  if (status === 'captured') return PAID;
  return moved.length > 0 ? GIVEN_BACK : NEVER_CONFIRMED;
}

async function pairOf(intent: PaymentIntent, requests: PairInFlight): Promise<Pair> {
  const [confirm, cancel] = [said(await requests.confirming), said(await requests.cancelling)];
  return { confirm, cancel, ...(await truthOnceSettled(intent)) };
}

/** The state of a payment that no longer changes by itself. */
async function truthOnceSettled(intent: PaymentIntent) {
  // While ten pairs are decided, a read may find no free connection.
  const isDecided = () =>
    truthOf(world, intent).then(
      ({ status }) => status !== 'authorized',
      () => false,
    );
  await until(isDecided, WAIT);
  return truthOf(world, intent);
}

interface PairInFlight {
  readonly confirming: Promise<Reply>;
  readonly cancelling: Promise<Reply>;
}

describe('confirm against cancel', () => {
  it('ten cancels during the debit: cancelled, and the debit given back', async () => {
    const pairs = await times(PAIRS_OF_A_KIND, async () => {
      const intent = await payer.create();
      const debit = world.holds.hold(intent.intentId, 'debit');
      const { confirming } = await payer.confirmUntil(debit, intent);
      const cancelling = payer.cancel(intent);
      await until(async () => (await acceptedBy(intent)) >= 2, WAIT);
      debit.release();
      return pairOf(intent, { confirming, cancelling });
    });
    // On a busy machine the heartbeat may come after a cancel has timed out.
    const cancel = expect.stringMatching(/^(200 cancelled|503)$/) as string;
    expect(pairs).toEqual(pairs.map(() => ({ ...GIVEN_BACK, cancel })));
  });

  it('a cancel while confirm and debit are written: cancelled, and the debit given back', async () => {
    const intent = await payer.create();
    const authorize = world.holds.hold(intent.intentId, 'authorize');
    const { confirming } = await payer.confirmUntil(authorize, intent);
    const cancelling = payer.cancel(intent);
    await until(async () => (await acceptedBy(intent)) >= 2, WAIT);
    authorize.release();
    // Either may time out before: then its answer has the status of that moment.
    await expect(pairOf(intent, { confirming, cancelling })).resolves.toEqual({
      ...GIVEN_BACK,
      confirm: expect.stringMatching(/^(200 (authorized|cancelled)|503)$/) as unknown,
      cancel: expect.stringMatching(/^(200 cancelled|503)$/) as unknown,
    });
  });

  it('ten cancels while the order is on its way to the provider: rejected, and paid once', async () => {
    const pairs = await times(PAIRS_OF_A_KIND, async () => {
      const intent = await payer.create();
      const order = world.holds.hold(intent.intentId, 'order');
      const { confirming } = await payer.confirmUntil(order, intent);
      const cancelling = payer.cancel(intent);
      await cancelling;
      order.release();
      return pairOf(intent, { confirming, cancelling });
    });
    expect(pairs).toEqual(pairs.map(() => PAID));
  });

  it('a cancel between the payout decision and its record is answered 503, and 409 when repeated', async () => {
    const intent = await payer.create();
    const payout = world.holds.hold(intent.intentId, 'payOut');
    const { confirming } = await payer.confirmUntil(payout, intent);
    const unknown = await payer.cancel(intent);
    expect([unknown.status, unknown.headers['retry-after']]).toEqual([503, '1']);
    payout.release();
    await confirming;
    const cancelling = payer.cancel(intent);
    // The local attempt has timed out meanwhile, so nothing is sent for six seconds.
    await expect(pairOf(intent, { confirming, cancelling })).resolves.toEqual(PAID);
  });

  it('ten pairs without held steps: each decided once, with answers that match', async () => {
    const pairs = await times(PAIRS_OF_A_KIND, async (index) => {
      const intent = await payer.create();
      const isCancelFirst = index % 2 === 1;
      const early = isCancelFirst ? payer.cancelUntilAnswered(intent) : undefined;
      const confirming = payer.confirmUntilAnswered(intent);
      const cancelling = early ?? payer.cancelUntilAnswered(intent);
      return pairOf(intent, { confirming, cancelling });
    });
    expect(pairs).toEqual(pairs.map(agreementOf));
  });
});

/** Number of replies by status code. */
function countByStatus(replies: readonly Reply[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe('twenty-five confirms of one intent at once', () => {
  const TWENTY_FIVE = 25;

  /**
   * Holds the authorize step until Temporal has rejected an update, so that the limit of updates is
   * reached. On a busy machine a confirm may be answered 503; then the payer repeats it.
   */
  async function confirmAllOf(intent: PaymentIntent, token?: string): Promise<readonly Reply[]> {
    const authorize = world.holds.hold(intent.intentId, 'authorize');
    const replies = times(TWENTY_FIVE, () => payer.confirmUntilAnswered(intent, token));
    await authorize.begun;
    await until(() => token !== undefined || payer.wasBusy(intent), WAIT);
    authorize.release();
    return replies;
  }

  it('with separate tokens: more than the workflow accepts at a time, all answered truly, paid once', async () => {
    const intent = await payer.create();
    const replies = await confirmAllOf(intent);
    expect(payer.wasBusy(intent)).toBe(true);
    const { 200: accepted = 0, 409: rejected = 0, ...more } = countByStatus(replies);
    expect(more).toEqual({});
    expect(accepted).toBeGreaterThan(0);
    expect(accepted + rejected).toBe(TWENTY_FIVE);
    await expect(truthOnceSettled(intent)).resolves.toEqual(PAID_ONCE);
  });

  it('with one token: exactly one is answered 200, and the payment is paid once', async () => {
    const intent = await payer.create();
    const replies = await confirmAllOf(intent, payer.mint(intent));
    expect(countByStatus(replies)).toEqual({ 200: 1, 401: TWENTY_FIVE - 1 });
    await expect(truthOnceSettled(intent)).resolves.toEqual(PAID_ONCE);
  });
});

describe('a confirm', () => {
  it('starts the workflow of an intent whose start was lost', async () => {
    const intent = await payer.create({ isStartLost: true });
    const run = world.client.workflow.getHandle(intent.intentId);
    await expect(run.describe()).rejects.toThrow(/not found/i);
    await expect(payer.confirmUntilAnswered(intent).then(said)).resolves.toEqual(ACCEPTED);
    await expect(truthOnceSettled(intent)).resolves.toEqual(PAID_ONCE);
  });

  it('and a cancel start one workflow if the start was lost, and are decided once', async () => {
    const pairs = await times(PAIRS_OF_A_KIND, async () => {
      const intent = await payer.create({ isStartLost: true });
      const confirming = payer.confirmUntilAnswered(intent);
      const cancelling = payer.cancelUntilAnswered(intent);
      return pairOf(intent, { confirming, cancelling });
    });
    expect(pairs).toEqual(pairs.map(agreementOf));
  });

  it('during the start of its workflow is paid once', async () => {
    const intents = await times(PAIRS_OF_A_KIND, async () => {
      const intent = await payer.create();
      return { intent, reply: await payer.confirmUntilAnswered(intent) };
    });
    expect(intents.map(({ reply }) => said(reply))).toEqual(intents.map(() => ACCEPTED));
    const truths = await Promise.all(intents.map(({ intent }) => truthOnceSettled(intent)));
    expect(truths).toEqual(intents.map(() => PAID_ONCE));
  });

  it('or a cancel without a running worker is answered when a worker starts', async () => {
    const [confirmed, cancelled] = [await payer.create(), await payer.create()];
    const { replies } = await world.withoutWorker(async () => {
      const requests = [payer.confirm(confirmed), payer.cancel(cancelled)];
      await until(() => payer.isRequested(confirmed) && payer.isRequested(cancelled), WAIT);
      return { replies: Promise.all(requests) };
    });
    expect((await replies).map(said)).toEqual([ACCEPTED, '200 cancelled']);
    await expect(truthOnceSettled(confirmed)).resolves.toEqual(PAID_ONCE);
  });
});
