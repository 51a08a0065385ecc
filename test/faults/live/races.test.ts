// "Races decided once", for real: the API, Temporal and Postgres, and a provider with a journal of its own. The HTTP answer
// is always true: 200 only for what durably happened, 409 only for what durably did not (architecture, section 3, rule R2).
import { until } from '../../../src/dev/until';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { recogniseErrorsOfNode, times } from '../../support/builders';
import type { Reply } from '../../support/app';
import { said, truthOf } from './payer';
import { withLiveScene } from './setup';

recogniseErrorsOfNode();

const PATIENCE = { timeoutMs: 20_000 };
const PAIRS_OF_A_KIND = 10;

const { world, payer } = withLiveScene();

/** Updates that its run has let in. */
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
const PAID: Pair = { ...PAID_ONCE, confirm: '200 captured', cancel: '409' };
const GIVEN_BACK: Pair = {
  confirm: '200 cancelled',
  cancel: '200 cancelled',
  status: 'cancelled',
  moved: ['debit', 'release'],
  executed: [],
};
const NEVER_CONFIRMED: Pair = { ...GIVEN_BACK, confirm: '409', moved: [] };

/** What both must have been told, and the provider's journal must say, by what the row and the ledger say. */
function agreementOf({ status, moved }: Pair): Pair {
  if (status === 'captured') return PAID;
  return moved.length > 0 ? GIVEN_BACK : NEVER_CONFIRMED;
}

async function pairOf(intent: PaymentIntent, asked: AskedPair): Promise<Pair> {
  const [confirm, cancel] = [said(await asked.confirming), said(await asked.cancelling)];
  const truth = await truthOf(world, intent);
  return { confirm, cancel, ...truth };
}

interface AskedPair {
  readonly confirming: Promise<Reply>;
  readonly cancelling: Promise<Reply>;
}

describe('confirm against cancel', () => {
  it('ten cancels that come while the payment is debited: cancelled, and the debit given back', async () => {
    const pairs = await times(PAIRS_OF_A_KIND, async () => {
      const intent = await payer.create();
      const debit = world.holds.hold(intent.intentId, 'debit');
      const confirming = payer.confirm(intent);
      await debit.begun;
      const cancelling = payer.cancel(intent);
      await until(async () => (await acceptedBy(intent)) === 2, PATIENCE);
      debit.letGo();
      return pairOf(intent, { confirming, cancelling });
    });
    // A cancel reaches the workflow once the task that debits has ended or heartbeats, four seconds later.
    const confirm = expect.stringMatching(/^200 (authorized|cancelled)$/) as string;
    expect(pairs).toEqual(pairs.map(() => ({ ...GIVEN_BACK, confirm })));
  });

  it('a cancel that comes while confirm and debit are written: cancelled, and the debit given back', async () => {
    const intent = await payer.create();
    const authorize = world.holds.hold(intent.intentId, 'authorize');
    const confirming = payer.confirm(intent);
    await authorize.begun;
    const cancelling = payer.cancel(intent);
    await until(async () => (await acceptedBy(intent)) === 2, PATIENCE);
    authorize.letGo();
    // The timeout of either may be over before: then it is told what was true at that moment.
    await expect(pairOf(intent, { confirming, cancelling })).resolves.toEqual({
      ...GIVEN_BACK,
      confirm: expect.stringMatching(/^(200 (authorized|cancelled)|503)$/) as unknown,
      cancel: expect.stringMatching(/^(200 cancelled|503)$/) as unknown,
    });
  });

  it('ten cancels that come when the order is on its way to the provider: refused, and paid once', async () => {
    const pairs = await times(PAIRS_OF_A_KIND, async () => {
      const intent = await payer.create();
      const order = world.holds.hold(intent.intentId, 'order');
      const confirming = payer.confirm(intent);
      await order.begun;
      const cancelling = payer.cancel(intent);
      await cancelling;
      order.letGo();
      return pairOf(intent, { confirming, cancelling });
    });
    expect(pairs).toEqual(pairs.map(() => PAID));
  });

  it('a cancel between the decision to pay out and its record is told 503, and 409 when it is repeated', async () => {
    const intent = await payer.create();
    const payout = world.holds.hold(intent.intentId, 'payOut');
    const confirming = payer.confirm(intent);
    await payout.begun;
    const unknown = await payer.cancel(intent);
    expect([unknown.status, unknown.headers['retry-after']]).toEqual([503, '1']);
    payout.letGo();
    await confirming;
    const cancelling = payer.cancel(intent);
    // The local attempt was given up meanwhile, so nothing is sent for six seconds.
    await until(async () => (await truthOf(world, intent)).status === 'captured', PATIENCE);
    await expect(pairOf(intent, { confirming, cancelling })).resolves.toEqual({
      ...PAID,
      confirm: expect.stringMatching(/^200 (authorized|captured)$/) as string,
    });
  });

  it('ten that are left to themselves: decided once, and told as decided', async () => {
    const pairs = await times(PAIRS_OF_A_KIND, async (index) => {
      const intent = await payer.create();
      const isCancelFirst = index % 2 === 1;
      const early = isCancelFirst ? payer.cancel(intent) : undefined;
      const confirming = payer.confirm(intent);
      const cancelling = early ?? payer.cancel(intent);
      return pairOf(intent, { confirming, cancelling });
    });
    expect(pairs).toEqual(pairs.map(agreementOf));
  });
});

/** What replies said, and how often. */
function tally(replies: readonly Reply[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe('twenty-five confirms of one intent at once', () => {
  const TWENTY_FIVE = 25;

  /** Lets the first authorize only when Temporal has refused to take yet another update. */
  async function confirmAllOf(intent: PaymentIntent, token?: string): Promise<readonly Reply[]> {
    const authorize = world.holds.hold(intent.intentId, 'authorize');
    const replies = times(TWENTY_FIVE, () => payer.confirm(intent, token));
    await authorize.begun;
    await until(() => token !== undefined || payer.wasBusy(intent), PATIENCE);
    authorize.letGo();
    return replies;
  }

  /** A confirm that has waited for long enough is answered 200 while the payment is still authorized. */
  async function truthOnceSettled(intent: PaymentIntent) {
    await until(async () => (await truthOf(world, intent)).status !== 'authorized', PATIENCE);
    return truthOf(world, intent);
  }

  it('each with a token of its own: more than its run takes at a time, all answered truly, paid once', async () => {
    const intent = await payer.create();
    const replies = await confirmAllOf(intent);
    expect(payer.wasBusy(intent)).toBe(true);
    const { 200: accepted = 0, 409: refused = 0, ...more } = tally(replies);
    expect(more).toEqual({});
    expect(accepted).toBeGreaterThan(0);
    expect(accepted + refused).toBe(TWENTY_FIVE);
    await expect(truthOnceSettled(intent)).resolves.toEqual(PAID_ONCE);
  });

  it('all with one token: exactly one is told 200, and it is paid once', async () => {
    const intent = await payer.create();
    const replies = await confirmAllOf(intent, payer.mint(intent));
    expect(tally(replies)).toEqual({ 200: 1, 401: TWENTY_FIVE - 1 });
    await expect(truthOnceSettled(intent)).resolves.toEqual(PAID_ONCE);
  });
});

describe('a confirm', () => {
  it('of an intent whose run was never started starts it', async () => {
    const intent = await payer.create({ isStartLost: true });
    const run = world.client.workflow.getHandle(intent.intentId);
    await expect(run.describe()).rejects.toThrow(/not found/i);
    await expect(payer.confirm(intent).then(said)).resolves.toBe('200 captured');
    await expect(truthOf(world, intent)).resolves.toEqual(PAID_ONCE);
  });

  it('and a cancel of intents whose runs were never started start one each, and are decided once', async () => {
    const pairs = await times(PAIRS_OF_A_KIND, async () => {
      const intent = await payer.create({ isStartLost: true });
      const [confirming, cancelling] = [payer.confirm(intent), payer.cancel(intent)];
      return pairOf(intent, { confirming, cancelling });
    });
    expect(pairs).toEqual(pairs.map(agreementOf));
  });

  it('that comes while its run is being started is paid once', async () => {
    const intents = await times(PAIRS_OF_A_KIND, async () => {
      const intent = await payer.create();
      return { intent, reply: await payer.confirm(intent) };
    });
    expect(intents.map(({ reply }) => said(reply))).toEqual(intents.map(() => '200 captured'));
    const truths = await Promise.all(intents.map(({ intent }) => truthOf(world, intent)));
    expect(truths).toEqual(intents.map(() => PAID_ONCE));
  });

  it('or a cancel that comes while no worker is up is answered when there is one', async () => {
    const [confirmed, cancelled] = [await payer.create(), await payer.create()];
    const { replies } = await world.withoutWorker(async () => {
      const asked = [payer.confirm(confirmed), payer.cancel(cancelled)];
      await until(() => payer.isAsked(confirmed) && payer.isAsked(cancelled), PATIENCE);
      return { replies: Promise.all(asked) };
    });
    expect((await replies).map(said)).toEqual(['200 captured', '200 cancelled']);
    await expect(truthOf(world, confirmed)).resolves.toEqual(PAID_ONCE);
  });
});
