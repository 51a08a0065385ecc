// Port payout-provider, one test per sentence of it: of the HTTP adapter with the sandbox behind it, and of the script that
// workflow tests are played by.
import type { PayoutOutcome } from '../../src/ports/payouts/provider';
import { recogniseErrorsOfNode } from '../support/builders';
import { aThaiCode } from '../support/payments/qr-codes';
import {
  openSandbox,
  openScript,
  type MoneyUnderTest,
  type ProviderUnderTest,
} from './providers-under-test';

recogniseErrorsOfNode();

const CODE = aThaiCode();
const IN_TIME = { isInTime: () => true, timeoutMs: 5_000 };
const TOO_LATE = { ...IN_TIME, isInTime: () => false };
/** Above the 5 s in which a call gives up, below the 16 s of a whole attempt. */
const ATTEMPT_TIMEOUT_MS = 15_000;

describe.each([
  ['the HTTP adapter with the sandbox behind it', openSandbox],
  ['the scripted provider', openScript],
])('%s as a payout provider', (_name, open) => {
  let under: ProviderUnderTest;
  beforeEach(async () => {
    under = await open();
  });
  afterEach(() => under.close());

  it.each(['paid', 'declined', 'pending'] as const)(
    'tells an order that is %s so, with its amount, and a question by key the same',
    async (fate) => {
      const order = under.orderOf(fate);
      const told: PayoutOutcome = { outcome: fate, amountUsdCents: order.amountUsdCents };
      expect(await under.provider.pay(order, IN_TIME)).toEqual(told);
      expect(await under.provider.find(order)).toEqual(told);
    },
  );

  it('says not_found to a question about a key that was never sent, which may be sent then', async () => {
    const order = under.orderOf('unsent');
    expect(await under.provider.find(order)).toEqual({ outcome: 'not_found' });
    expect(await under.provider.pay(order, IN_TIME)).toMatchObject({ outcome: 'paid' });
  });

  it(
    'gives up on an order that is not answered: unknown, with a short cause, and paid by key',
    async () => {
      const order = under.orderOf('silent');
      const cause = expect.stringMatching(/^.{1,80}$/) as unknown;
      expect(await under.provider.pay(order, IN_TIME)).toEqual({ outcome: 'unknown', cause });
      expect(await under.provider.find(order)).toMatchObject({ outcome: 'paid' });
    },
    ATTEMPT_TIMEOUT_MS,
  );

  it('calls an order unknown that never arrived, and only a question by key not_found', async () => {
    const order = under.orderOf('lost');
    expect(await under.provider.pay(order, IN_TIME)).toMatchObject({ outcome: 'unknown' });
    expect(await under.provider.find(order)).toEqual({ outcome: 'not_found' });
  });

  it('sends nothing where it is told at the last moment that it is too late', async () => {
    const order = under.orderOf('unsent');
    expect(await under.provider.find(order)).toEqual({ outcome: 'not_found' });
    const cause = expect.stringMatching(/too late to send$/) as unknown;
    expect(await under.provider.pay(order, TOO_LATE)).toEqual({ outcome: 'unknown', cause });
    expect(await under.provider.pay(order, IN_TIME)).toMatchObject({ outcome: 'paid' });
  });

  it.each(['paid', 'declined', 'pending', 'lost'] as const)(
    'takes the scanned code with an order that is %s, and has it in no answer and no cause',
    async (fate) => {
      const order = { ...under.orderOf(fate), qrPayload: CODE };
      const answers = [await under.provider.pay(order, IN_TIME), await under.provider.find(order)];
      expect(JSON.stringify(answers)).not.toContain(CODE);
    },
  );
});

describe('the HTTP adapter with the sandbox behind it, which moves money,', () => {
  let under: MoneyUnderTest;
  beforeEach(async () => {
    under = await openSandbox();
  });
  afterEach(() => under.close());

  it('executes a key at most once, however often it is sent', async () => {
    const order = under.orderOf('paid');
    const told = { outcome: 'paid', amountUsdCents: order.amountUsdCents };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => under.provider.pay(order, IN_TIME)),
    );
    expect(answers).toEqual(answers.map(() => told));
    expect(await under.executionsOf(order)).toBe(1);
  });

  it.each(['declined', 'pending', 'lost'] as const)('executes nothing that is %s', async (fate) => {
    const order = under.orderOf(fate);
    await under.provider.pay(order, IN_TIME);
    expect(await under.executionsOf(order)).toBe(0);
  });

  it('executes nothing that is only asked about', async () => {
    const order = under.orderOf('unsent');
    await under.provider.find(order);
    expect(await under.executionsOf(order)).toBe(0);
  });

  it('tells the amount that the provider names, whatever was ordered', async () => {
    const order = under.misreported();
    const told = { outcome: 'paid', amountUsdCents: order.amountUsdCents + 1 };
    expect(await under.provider.pay(order, IN_TIME)).toEqual(told);
    expect(await under.provider.find(order)).toEqual(told);
  });

  it('never throws, also when nobody is there: that is unknown', async () => {
    const order = under.orderOf('paid');
    await under.close();
    const answers = [await under.provider.pay(order, IN_TIME), await under.provider.find(order)];
    expect(answers.map(({ outcome }) => outcome)).toEqual(['unknown', 'unknown']);
  });
});
