// Contract of the port `PayoutProvider`, one test per sentence, for each adapter with a simulated
// provider behind it and for the scripted provider of workflow tests.
import { recogniseErrorsOfNode } from '../support/builders';
import { aThaiCode } from '../support/payments/qr-codes';
import {
  openMusePayAdapter,
  openSandbox,
  openScript,
  type MoneyUnderTest,
  type ProviderUnderTest,
} from './providers-under-test';

recogniseErrorsOfNode();

const CODE = aThaiCode();
const PAID = { outcome: 'paid' };
const PENDING = { outcome: 'pending' };
const IN_TIME = { isInTime: () => true, timeoutMs: 5_000 };
const TOO_LATE = { ...IN_TIME, isInTime: () => false };
/** Above the 5 s timeout of a call, below the 16 s of a whole attempt. */
const ATTEMPT_TIMEOUT_MS = 15_000;

describe.each([
  ['the HTTP adapter with the sandbox behind it', openSandbox],
  ['the MusePay adapter with its simulator behind it', openMusePayAdapter],
  ['the scripted provider', openScript],
])('%s as a payout provider', (_name, open) => {
  let under: ProviderUnderTest;
  beforeEach(async () => {
    under = await open();
  });
  afterEach(() => under.close());
  /** What `pay` answers to an order of which a query says that. */
  const taken = (said: object) => (under.answersOrders === 'at once' ? said : PENDING);

  it.each(['paid', 'declined', 'pending'] as const)(
    'answers %s with the amount to a query by key, and that or pending to such an order',
    async (fate) => {
      const order = under.orderOf(fate);
      const facts = { orderedUsdCents: under.repeatedCents(order) };
      const expected = { outcome: fate, ...(fate === 'paid' && { facts }) };
      expect(await under.provider.pay(order, IN_TIME)).toMatchObject(taken(expected));
      expect(await under.provider.find(order)).toMatchObject(expected);
    },
  );

  it('answers not_found to a query for a key that was never sent, which may then be sent', async () => {
    const order = under.orderOf('unsent');
    expect(await under.provider.find(order)).toEqual({ outcome: 'not_found' });
    expect(await under.provider.pay(order, IN_TIME)).toMatchObject(taken(PAID));
  });

  it(
    'returns unknown with a short cause for an unanswered order, and paid to a query by key',
    async () => {
      const order = under.orderOf('silent');
      const cause = expect.stringMatching(/^.{1,80}$/) as unknown;
      expect(await under.provider.pay(order, IN_TIME)).toEqual({ outcome: 'unknown', cause });
      expect(await under.provider.find(order)).toMatchObject({ outcome: 'paid' });
    },
    ATTEMPT_TIMEOUT_MS,
  );

  it('returns unknown for an order that never arrived, and not_found only to a query by key', async () => {
    const order = under.orderOf('lost');
    expect(await under.provider.pay(order, IN_TIME)).toMatchObject({ outcome: 'unknown' });
    expect(await under.provider.find(order)).toEqual({ outcome: 'not_found' });
  });

  it('sends nothing when `isInTime` is false at the last moment', async () => {
    const order = under.orderOf('unsent');
    expect(await under.provider.find(order)).toEqual({ outcome: 'not_found' });
    const cause = expect.stringMatching(/^not sent: /) as unknown;
    expect(await under.provider.pay(order, TOO_LATE)).toEqual({ outcome: 'unknown', cause });
    expect(await under.provider.pay(order, IN_TIME)).toMatchObject(taken(PAID));
  });

  it.each(['paid', 'declined', 'pending', 'lost'] as const)(
    'accepts a scanned code with an order that is %s, and puts it into no answer and no cause',
    async (fate) => {
      const order = { ...under.orderOf(fate), qrPayload: CODE };
      const answers = [await under.provider.pay(order, IN_TIME), await under.provider.find(order)];
      expect(JSON.stringify(answers)).not.toContain(CODE);
    },
  );
});

describe.each([
  ['the HTTP adapter with the sandbox behind it', openSandbox],
  ['the MusePay adapter with its simulator behind it', openMusePayAdapter],
])('%s', (_name, open) => {
  let under: MoneyUnderTest;
  beforeEach(async () => {
    under = await open();
  });
  afterEach(() => under.close());

  it('executes an order once that is sent once', async () => {
    const order = under.orderOf('paid');
    await under.provider.pay(order, IN_TIME);
    expect(await under.provider.find(order)).toMatchObject(PAID);
    expect(await under.executionsOf(order)).toBe(1);
  });

  it.each(['declined', 'pending', 'lost'] as const)('executes nothing that is %s', async (fate) => {
    const order = under.orderOf(fate);
    await under.provider.pay(order, IN_TIME);
    expect(await under.executionsOf(order)).toBe(0);
  });

  it('executes nothing on a query alone', async () => {
    const order = under.orderOf('unsent');
    await under.provider.find(order);
    expect(await under.executionsOf(order)).toBe(0);
  });

  it('never throws: it returns unknown when the provider is unreachable', async () => {
    const order = under.orderOf('paid');
    await under.close();
    const answers = [await under.provider.pay(order, IN_TIME), await under.provider.find(order)];
    expect(answers.map(({ outcome }) => outcome)).toEqual(['unknown', 'unknown']);
  });
});

describe('the HTTP adapter with the sandbox behind it', () => {
  let under: Awaited<ReturnType<typeof openSandbox>>;
  beforeEach(async () => {
    under = await openSandbox();
  });
  afterEach(() => under.close());

  it('executes a key at most once, however often it is sent', async () => {
    const order = under.orderOf('paid');
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => under.provider.pay(order, IN_TIME)),
    );
    expect(answers).toMatchObject(answers.map(() => ({ outcome: 'paid' })));
    expect(await under.executionsOf(order)).toBe(1);
  });

  it('says its own id of a payment, and what the payee gets', async () => {
    const order = { ...under.orderOf('paid'), corridor: 'vn_qrpay', qrPayload: null } as const;
    const facts = {
      reference: expect.stringMatching(/^SB-[0-9A-F]{12}$/) as string,
      local: { currency: 'VND', minor: 317_500 },
    };
    expect(await under.provider.pay(order, IN_TIME)).toMatchObject({ facts });
    expect(await under.provider.find(order)).toMatchObject({ facts });
  });

  it('returns the amount that the provider reports, also when another one was ordered', async () => {
    const order = under.misreported();
    const facts = { orderedUsdCents: order.amountUsdCents + 1 };
    const reported = { outcome: 'paid', facts };
    expect(await under.provider.pay(order, IN_TIME)).toMatchObject(reported);
    expect(await under.provider.find(order)).toMatchObject(reported);
  });
});
