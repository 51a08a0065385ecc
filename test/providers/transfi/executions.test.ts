// Money through the adapter and the simulator: no order is executed twice, and each answer that is
// lost on the way is unknown.
import { createProviderOutbound } from '../../../src/http/provider-outbound';
import type { PayoutOrder, PayoutAdapter } from '../../../src/ports/payout-provider';
import { createTransFiProvider } from '../../../src/providers/transfi/provider';
import { recogniseErrorsOfNode } from '../../support/builders';
import { IN_TIME, KEY, ORDER, OTHER_KEY } from './one-answer';
import {
  CREDENTIALS,
  openTransFiSimulator,
  type Behaviour,
  type TransFiSimulator,
} from './simulator';

recogniseErrorsOfNode();

const outbound = createProviderOutbound();
afterAll(() => outbound.close());

async function withSimulator<Result>(
  behaviour: Partial<Behaviour>,
  work: (provider: PayoutAdapter, simulator: TransFiSimulator) => Promise<Result>,
): Promise<Result> {
  const simulator = await openTransFiSimulator(() => behaviour);
  try {
    return await work(createTransFiProvider(outbound, simulator), simulator);
  } finally {
    await simulator.close();
  }
}

/** The order with the reference that the simulator gave it. */
const known = (reference: string | undefined): PayoutOrder => ({
  ...{ ...ORDER, reference: reference ?? null },
});

it('pays once, and finds the payment by its reference', async () => {
  await withSimulator({}, async (provider, simulator) => {
    const ordered = await provider.pay(ORDER, IN_TIME);
    const reference = simulator.referenceOf(KEY);
    expect(ordered).toEqual({ outcome: 'pending', reference });
    const cost = { currency: 'USD', debited: '12.850000', fee: '0.350000', rate: null };
    const facts = { reference, local: ORDER.local, cost };
    expect(await provider.find(known(reference))).toMatchObject({ outcome: 'paid', facts });
    expect(simulator.requests.map(({ method }) => method)).toEqual(['POST', 'GET']);
    expect(simulator.executionsOf(KEY)).toBe(1);
  });
});

it.each(['code', 'details', 'old order'] as const)(
  'reports a repeat that is answered by %s as duplicate or the same order, and pays nothing',
  async (repeat) => {
    await withSimulator({ repeat }, async (provider, simulator) => {
      const first = await provider.pay(ORDER, IN_TIME);
      const again = await provider.pay(ORDER, IN_TIME);
      // An order that has not failed is the same as its first answer: it names the reference.
      expect(again).toEqual(repeat === 'old order' ? first : { outcome: 'duplicate' });
      expect(simulator.executionsOf(KEY)).toBe(1);
    });
  },
);

it('reports a repeat of a failed order as duplicate, and pays nothing', async () => {
  const failed = { repeat: 'old order', statuses: ['initiated', 'fund_failed'] } as const;
  await withSimulator(failed, async (provider, simulator) => {
    await provider.pay(ORDER, IN_TIME);
    const order = known(simulator.referenceOf(KEY));
    expect(await provider.find(order)).toMatchObject({ outcome: 'declined', code: 'other' });
    expect(await provider.pay(ORDER, IN_TIME)).toEqual({ outcome: 'duplicate' });
    expect(simulator.executionsOf(KEY)).toBe(0);
  });
});

it('pays once for eight equal orders at the same time', async () => {
  await withSimulator({}, async (provider, simulator) => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => provider.pay(ORDER, IN_TIME)),
    );
    const outcomes = answers.map(({ outcome }) => outcome).sort();
    expect(outcomes).toEqual([...Array<string>(7).fill('duplicate'), 'pending']);
    expect(simulator.executionsOf(KEY)).toBe(1);
  });
});

it.each([
  ['lost', 1],
  ['dropped', 0],
  ['page', 0],
] as const)(
  'reports an order that is %s as unknown after one request, and cannot find it by key',
  async (lost, executions) => {
    await withSimulator({ answer: lost }, async (provider, simulator) => {
      expect(await provider.pay(ORDER, IN_TIME)).toMatchObject({ outcome: 'unknown' });
      expect(await provider.find(ORDER)).toMatchObject({ outcome: 'unknown' });
      expect(simulator.requests.map(({ path }) => path)).toEqual(['/v3/orders']);
      expect(simulator.executionsOf(KEY)).toBe(executions);
    });
  },
);

it('finds a payment whose answer was lost once an operator knows its reference', async () => {
  await withSimulator({ answer: 'lost' }, async (provider, simulator) => {
    await provider.pay(ORDER, IN_TIME);
    const order = known(simulator.referenceOf(KEY));
    expect(await provider.find(order)).toMatchObject({ outcome: 'paid' });
  });
});

it('reports the reference of another payment as unknown, whatever became of that one', async () => {
  await withSimulator({}, async (provider, simulator) => {
    await provider.pay({ ...ORDER, key: OTHER_KEY }, IN_TIME);
    const foreign = known(simulator.referenceOf(OTHER_KEY));
    expect(await provider.find(foreign)).toMatchObject({ outcome: 'unknown' });
    expect(await provider.find(known('OR-404'))).toMatchObject({ outcome: 'unknown' });
  });
});

it.each<[string, Partial<Behaviour>, string]>([
  ['a refusal that is listed', { refusal: 'ENHANCED_KYC_REQUIRED' }, 'refused'],
  ['a refusal that is not listed', { refusal: 'SERVICE_LIMIT' }, 'unknown'],
])('executes nothing after %s', async (_what, behaviour, outcome) => {
  await withSimulator(behaviour, async (provider, simulator) => {
    expect(await provider.pay(ORDER, IN_TIME)).toMatchObject({ outcome });
    expect(simulator.executionsOf(KEY)).toBe(0);
  });
});

it.each<[string, Partial<Behaviour>, string]>([
  ['another key', { change: { partnerId: OTHER_KEY } }, 'unknown'],
  ['a status that is not listed', { statuses: ['initiated', 'on_hold'] }, 'unknown'],
  ['the headers of a cache', { headers: { age: '3' } }, 'unknown'],
  ['a status that goes on', { statuses: ['initiated', 'fund_processing'] }, 'pending'],
])('reports a query whose answer has %s as it must', async (_what, behaviour, outcome) => {
  await withSimulator(behaviour, async (provider, simulator) => {
    await provider.pay(ORDER, IN_TIME);
    const order = known(simulator.referenceOf(KEY));
    expect(await provider.find(order)).toMatchObject({ outcome });
  });
});

it('sends nothing that is executed with wrong credentials', async () => {
  await withSimulator({}, async (_provider, { baseUrl, ...simulator }) => {
    const token = JSON.stringify({ ...CREDENTIALS, password: 'wrong' });
    const stranger = createTransFiProvider(outbound, { baseUrl, token });
    expect(await stranger.pay(ORDER, IN_TIME)).toMatchObject({ outcome: 'unknown' });
    expect(simulator.executionsOf(KEY)).toBe(0);
  });
});

it('reads the signed callback of an order, which says where to query', async () => {
  await withSimulator({}, async (provider, simulator) => {
    await provider.pay(ORDER, IN_TIME);
    const { headers, body } = simulator.callbackOf(KEY);
    const reference = simulator.referenceOf(KEY);
    expect(provider.readCallback?.(headers, body)).toEqual({ key: KEY, reference });
  });
});

it('quotes a code by the rates of the simulator, with and without an amount', async () => {
  await withSimulator({}, async (provider) => {
    const request = {
      ...({
        qrPayload: ORDER.qrPayload ?? '',
        corridor: 'vn_qrpay',
        amountUsdCents: 1_250,
      } as const),
      local: ORDER.local,
    };
    const inquiry = { local: ORDER.local, payee: { name: 'NGUYEN VAN A' } };
    const quoted = { outcome: 'quoted', inquiry };
    expect(await provider.inquire?.(request)).toMatchObject(quoted);
    expect(await provider.inquire?.({ ...request, local: null })).toMatchObject(quoted);
  });
});
