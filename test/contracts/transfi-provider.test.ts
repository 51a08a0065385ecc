// Contract of the port `PayoutProvider` for an adapter that declares `findsByKey: false` and
// `repeat: 'refused'`: TransFi with its simulator behind it.
import { createProviderOutbound } from '../../src/http/provider-outbound';
import type { PayoutOrder, PayoutOutcome } from '../../src/ports/payout-provider';
import { createTransFiProvider } from '../../src/providers/transfi/provider';
import { KEY, ORDER } from '../providers/transfi/one-answer';
import { openTransFiSimulator, type Behaviour } from '../providers/transfi/simulator';
import { recogniseErrorsOfNode } from '../support/builders';
import type { MoneyUnderTest } from './providers-under-test';

recogniseErrorsOfNode();

const IN_TIME = { isInTime: () => true, timeoutMs: 5_000 };
const TOO_LATE = { ...IN_TIME, isInTime: () => false };
/** Above the 5 s timeout of a call, below the 16 s of a whole attempt. */
const ATTEMPT_TIMEOUT_MS = 15_000;
const SHORT_CAUSE = expect.stringMatching(/^.{1,80}$/) as unknown;

type Fate = Parameters<MoneyUnderTest['orderOf']>[0];

const BEHAVIOURS: Readonly<Record<Fate, Partial<Behaviour>>> = {
  ...{ paid: {}, unsent: {}, silent: { answer: 'silent' }, lost: { answer: 'dropped' } },
  declined: { statuses: ['initiated', 'fund_failed'] },
  pending: { statuses: ['initiated', 'fund_processing'] },
};
const MISREPORTED = { change: { destination: { amount: 317_501, currency: 'VND' } } };

async function openTransFi() {
  const behaviours = new Map<string, Partial<Behaviour>>();
  const simulator = await openTransFiSimulator((key) => behaviours.get(key) ?? {});
  const outbound = createProviderOutbound();
  const anOrder = (behaviour: Partial<Behaviour>): PayoutOrder => {
    const key = KEY.replace('0d:', `${String(10 + behaviours.size)}:`);
    behaviours.set(key, behaviour);
    return { ...ORDER, key };
  };
  const under: MoneyUnderTest = {
    provider: createTransFiProvider(outbound, simulator),
    answersOrders: 'pending',
    repeatedCents: () => null,
    orderOf: (fate) => anOrder(BEHAVIOURS[fate]),
    executionsOf: ({ key }) => Promise.resolve(simulator.executionsOf(key)),
    close: async () => {
      await outbound.close();
      await simulator.close();
    },
  };
  const misreported = () => anOrder(MISREPORTED);
  return { ...under, simulator, misreported, unanswered: () => anOrder({ answer: 'lost' }) };
}

/** The order with the reference of the answer, which the engine keeps in its row. */
const referred = (order: PayoutOrder, answer: PayoutOutcome): PayoutOrder => ({
  ...order,
  reference: 'reference' in answer ? answer.reference : null,
});

let under: Awaited<ReturnType<typeof openTransFi>>;
beforeEach(async () => {
  under = await openTransFi();
});
afterEach(() => under.close());

it.each(['paid', 'declined', 'pending'] as const)(
  'answers an order with its id, and a query by that id with %s',
  async (fate) => {
    const order = under.orderOf(fate);
    const answer = await under.provider.pay(order, IN_TIME);
    const reference = under.simulator.referenceOf(order.key);
    expect(answer).toEqual({ outcome: 'pending', reference });
    const about = fate === 'paid' ? { facts: { reference, local: order.local } } : { reference };
    const found = await under.provider.find(referred(order, answer));
    expect(found).toMatchObject({ outcome: fate, ...about });
    expect(await under.executionsOf(order)).toBe(fate === 'paid' ? 1 : 0);
  },
);

it.each(['paid', 'unsent', 'lost'] as const)(
  'returns unknown, and never not_found, to a query without the id of an order that is %s',
  async (fate) => {
    const order = under.orderOf(fate);
    if (fate !== 'unsent') await under.provider.pay(order, IN_TIME);
    const unknown = { outcome: 'unknown', cause: SHORT_CAUSE };
    expect(await under.provider.find(order)).toEqual(unknown);
    expect(await under.provider.find({ ...order, reference: 'OR-404' })).toEqual(unknown);
    expect(under.provider.abilities).toMatchObject({ findsByKey: false, notFoundIsProof: false });
  },
);

it.each([
  ['silent', 1],
  ['lost', 0],
] as const)(
  'returns unknown with a short cause for an order that is %s, after one request',
  async (fate, executions) => {
    const order = under.orderOf(fate);
    const answer = await under.provider.pay(order, IN_TIME);
    expect(answer).toEqual({ outcome: 'unknown', cause: SHORT_CAUSE });
    expect(under.simulator.requests).toHaveLength(1);
    expect(await under.executionsOf(order)).toBe(executions);
  },
  ATTEMPT_TIMEOUT_MS,
);

it('sends nothing when `isInTime` is false at the last moment', async () => {
  const order = under.orderOf('unsent');
  const cause = expect.stringMatching(/^not sent: /) as unknown;
  expect(await under.provider.pay(order, TOO_LATE)).toEqual({ outcome: 'unknown', cause });
  expect(under.simulator.requests).toEqual([]);
  expect(await under.provider.pay(order, IN_TIME)).toMatchObject({ outcome: 'pending' });
});

it('sends nothing without the local amount that it declares to need', async () => {
  const order = { ...under.orderOf('paid'), local: null };
  expect(under.provider.abilities.needsLocal).toBe(true);
  expect(await under.provider.pay(order, IN_TIME)).toMatchObject({ outcome: 'unknown' });
  expect(under.simulator.requests).toEqual([]);
});

it.each(['paid', 'declined', 'pending', 'lost'] as const)(
  'puts the scanned code of an order that is %s into no answer and no cause',
  async (fate) => {
    const order = under.orderOf(fate);
    const answer = await under.provider.pay(order, IN_TIME);
    const found = await under.provider.find(referred(order, answer));
    expect(order.qrPayload).not.toBeNull();
    expect(JSON.stringify([answer, found])).not.toContain(order.qrPayload);
  },
);

it('executes a key at most once, however often it is sent, and refuses each repeat', async () => {
  const order = under.orderOf('paid');
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => under.provider.pay(order, IN_TIME)),
  );
  const outcomes = answers.map(({ outcome }) => outcome).sort();
  expect(outcomes).toEqual([...Array<string>(7).fill('duplicate'), 'pending']);
  expect(under.provider.abilities.repeat).toBe('refused');
  expect(await under.executionsOf(order)).toBe(1);
});

it('executes a key once whose answer was lost, and refuses its repeat', async () => {
  const order = under.unanswered();
  expect(await under.provider.pay(order, IN_TIME)).toMatchObject({ outcome: 'unknown' });
  expect(await under.provider.pay(order, IN_TIME)).toEqual({ outcome: 'duplicate' });
  expect(await under.executionsOf(order)).toBe(1);
});

it('executes nothing on a query or an inquiry', async () => {
  const order = under.orderOf('unsent');
  const { qrPayload, corridor, amountUsdCents, local } = order;
  const request = { qrPayload: qrPayload ?? '', corridor, amountUsdCents, local };
  await under.provider.find({ ...order, reference: 'OR-1' });
  expect(await under.provider.inquire?.(request)).toMatchObject({ outcome: 'quoted' });
  expect(await under.executionsOf(order)).toBe(0);
});

it('returns the amount that the provider reports, also when another one was ordered', async () => {
  const order = under.misreported();
  const answer = await under.provider.pay(order, IN_TIME);
  const facts = { orderedUsdCents: null, local: { currency: 'VND', minor: 317_501 } };
  const found = await under.provider.find(referred(order, answer));
  expect(found).toMatchObject({ outcome: 'paid', facts });
});

it('reads no callback but a signed one, and only which payment it is about', async () => {
  const order = under.orderOf('paid');
  await under.provider.pay(order, IN_TIME);
  const { headers, body } = under.simulator.callbackOf(order.key);
  const reference = under.simulator.referenceOf(order.key);
  expect(under.provider.readCallback?.(headers, body)).toEqual({ key: order.key, reference });
  expect(under.provider.readCallback?.({}, body)).toBeUndefined();
});

it('never throws: it returns unknown when the provider is unreachable', async () => {
  const order = { ...under.orderOf('paid'), reference: 'OR-1' };
  const { qrPayload, ...about } = order;
  await under.close();
  const answers = [
    await under.provider.pay(order, IN_TIME),
    await under.provider.find(order),
    await under.provider.inquire?.({ ...about, qrPayload: qrPayload ?? '' }),
  ];
  expect(answers.map((answer) => answer?.outcome)).toEqual(['unknown', 'unknown', 'unknown']);
});
