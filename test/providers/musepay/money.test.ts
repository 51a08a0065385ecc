// One `pay` leads to at most one payment at MusePay, whatever becomes of the answer, and `find`
// says what became of it.
import { createProviderOutbound } from '../../../src/http/provider-outbound';
import { createMusePayProvider } from '../../../src/providers/musepay/provider';
import { ID, IN_TIME, ORDER } from './answering';
import {
  openMusePay,
  type MusePaySimulator,
  type Plan,
  type SimulatorOptions,
  type Trouble,
} from './simulator';

const outbound = createProviderOutbound();
afterAll(() => outbound.close());

const NOW_MS = Date.UTC(2026, 10, 28, 12);
let nowMs = NOW_MS;
let musePay: MusePaySimulator;
/** The same id again is paid again: what the documents do not exclude. */
const open = async (options: SimulatorOptions = { paysRepeats: true }) => {
  nowMs = NOW_MS;
  musePay = await openMusePay({ nowMs: () => nowMs, ...options });
  return createMusePayProvider(outbound, musePay, () => nowMs);
};
afterEach(() => musePay.close());

const TROUBLES: readonly (readonly [Trouble, string, number])[] = [
  ['request_lost', 'unknown', 0],
  ['answer_lost', 'unknown', 1],
  ['other_id', 'unknown', 1],
  ['cached', 'unknown', 1],
  ['gateway_page', 'unknown', 1],
  ['cut', 'unknown', 1],
];

it.each(TROUBLES)(
  'an order whose answer is %s is %s, and paid %d times',
  async (submit, outcome, times) => {
    const provider = await open();
    musePay.plan(ID, { submit });
    expect(await provider.pay(ORDER, IN_TIME)).toMatchObject({ outcome });
    expect(musePay.executionsOf(ID)).toBe(times);
    const answer = await provider.find(ORDER);
    expect(answer.outcome).toBe(times === 0 ? 'not_found' : 'paid');
    expect(musePay.executionsOf(ID)).toBe(times);
  },
);

it('an order without an answer is unknown after its timeout, and paid once', async () => {
  const provider = await open();
  musePay.plan(ID, { submit: 'silence' });
  const outcome = await provider.pay(ORDER, IN_TIME);
  expect(outcome).toEqual({ outcome: 'unknown', cause: 'timeout after 5 s' });
  expect(await provider.find(ORDER)).toMatchObject({ outcome: 'paid' });
  expect(musePay.executionsOf(ID)).toBe(1);
});

it.each(TROUBLES)('a query whose answer is %s is unknown, and pays nothing', async (query) => {
  const provider = await open();
  await provider.pay(ORDER, IN_TIME);
  musePay.plan(ID, { query });
  expect(await provider.find(ORDER)).toMatchObject({ outcome: 'unknown' });
  expect(musePay.executionsOf(ID)).toBe(1);
});

it('one `pay` is one request, also with a provider that would pay a repeat again', async () => {
  const provider = await open();
  expect(await provider.pay(ORDER, IN_TIME)).toMatchObject({ outcome: 'pending' });
  expect(musePay.requests).toHaveLength(1);
  expect(musePay.executionsOf(ID)).toBe(1);
  // The engine must not do this: the adapter declares `unsafe`.
  await provider.pay(ORDER, IN_TIME);
  expect(musePay.executionsOf(ID)).toBe(2);
});

it('an order that is sent again at the same time is a duplicate, if the provider keeps ids', async () => {
  const provider = await open({ paysRepeats: false });
  const sent = Array.from({ length: 8 }, () => provider.pay(ORDER, IN_TIME));
  const outcomes = (await Promise.all(sent)).map(({ outcome }) => outcome);
  expect(outcomes.sort()).toEqual([...Array<string>(7).fill('duplicate'), 'pending']);
  expect(musePay.executionsOf(ID)).toBe(1);
});

it('an order in the queue is not_found until it is known: that is no proof', async () => {
  const provider = await open({ paysRepeats: false });
  musePay.plan(ID, { knownAfterMs: 10_000 });
  expect(await provider.pay(ORDER, IN_TIME)).toMatchObject({ outcome: 'pending' });
  nowMs += 9_999;
  expect(await provider.find(ORDER)).toEqual({ outcome: 'not_found' });
  expect(provider.abilities).toMatchObject({ notFoundIsProof: false, repeat: 'unsafe' });
  expect(await provider.pay(ORDER, IN_TIME)).toEqual({ outcome: 'duplicate' });
  nowMs += 1;
  expect(await provider.find(ORDER)).toMatchObject({ outcome: 'paid' });
  expect(musePay.executionsOf(ID)).toBe(1);
});

it('a refused order is not made, and says nothing of an earlier one', async () => {
  const provider = await open();
  musePay.plan(ID, { refusal: 202_203 });
  const refused = { outcome: 'refused', code: 'insufficient_balance' };
  expect(await provider.pay(ORDER, IN_TIME)).toEqual(refused);
  expect(await provider.find(ORDER)).toEqual({ outcome: 'not_found' });
  expect(musePay.executionsOf(ID)).toBe(0);
});

it.each<[Plan['status'], string]>([
  [11, 'pending'],
  [22, 'pending'],
  [44, 'declined'],
  [88, 'unknown'],
])('an order with status %d is %s and not paid', async (status = 11, outcome) => {
  const provider = await open();
  musePay.plan(ID, { status });
  expect(await provider.pay(ORDER, IN_TIME)).toMatchObject({ outcome: 'pending' });
  expect(await provider.find(ORDER)).toMatchObject({ outcome });
  expect(musePay.executionsOf(ID)).toBe(0);
});

it('an order that failed and then succeeded is declined and then paid', async () => {
  const provider = await open();
  musePay.plan(ID, { status: 44 });
  await provider.pay(ORDER, IN_TIME);
  expect(await provider.find(ORDER)).toMatchObject({ outcome: 'declined' });
  musePay.changeStatus(ID, 99);
  expect(await provider.find(ORDER)).toMatchObject({ outcome: 'paid' });
  expect(provider.abilities.declineIsFinal).toBe(false);
});
