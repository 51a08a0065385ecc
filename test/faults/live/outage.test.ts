// Postgres is away during a confirm, or its answers get lost: each payment is paid at most once
// (architecture, section 3). The outage lasts until the step has failed twice, which is less than
// the timeout of a caller. long-outage.test.ts has longer outages.
import { until } from '../../../src/dev/until';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { recogniseErrorsOfNode } from '../../support/builders';
import type { HeldStep } from './held-steps';
import { said, truthOf } from './payer';
import { withLiveSetup } from './setup';

recogniseErrorsOfNode();

const WAIT = { timeoutMs: 20_000 };
const PAID_ONCE = { status: 'captured', moved: ['capture', 'debit'], executed: [1_250] };
const FAILURES = 2;

const { world, payer } = withLiveSetup();
afterEach(() => world.proxy.mend());

async function untilCaptured(intent: PaymentIntent): Promise<void> {
  await until(async () => (await truthOf(world, intent)).status === 'captured', WAIT);
}

describe('Postgres goes away in the middle of a confirm', () => {
  /** The step at which the outage begins, and the step that fails until it is over. */
  const MOMENTS: readonly (readonly [string, HeldStep, HeldStep])[] = [
    ['before the intent is authorized', 'authorize', 'authorize'],
    ['before the holding account is debited', 'debit', 'debit'],
    ['before the payout is recorded', 'payOut', 'payOut'],
    ['while the order is on its way to the provider', 'order', 'payOut'],
    ['before the intent is captured', 'capture', 'capture'],
  ];

  it.each(MOMENTS)(
    '%s: the payment is paid once, and answered 200 after the outage',
    async (...moment) => {
      const [, goesAt, fails] = moment;
      const intent = await payer.create();
      const held = world.holds.hold(intent.intentId, goesAt);
      const failing = goesAt === fails ? held : world.holds.hold(intent.intentId, fails);
      if (failing !== held) failing.release();
      const { confirming } = await payer.confirmUntil(held, intent);
      world.proxy.cut();
      held.release();
      await until(() => failing.times > FAILURES, WAIT);
      world.proxy.mend();
      expect(failing.times).toBeGreaterThan(FAILURES);
      // The timeout may be over before the last retry: then the answer has the current status.
      expect(said(await confirming)).toMatch(/^200 (captured|authorized)$/);
      await untilCaptured(intent);
      await expect(truthOf(world, intent)).resolves.toEqual(PAID_ONCE);
    },
  );

  it('confirms during the outage are answered 503 with Retry-After, and can be repeated with the same token', async () => {
    const intent = await payer.create();
    const token = payer.mint(intent);
    const authorize = world.holds.hold(intent.intentId, 'authorize');
    // Without waiting the API reads the row at once, while Postgres is away.
    const impatient = { headers: { Prefer: 'respond-async' } };
    const { confirming } = await payer.confirmUntil(authorize, intent, token, impatient);
    world.proxy.cut();
    const lost = await confirming;
    const during = await payer.confirm(intent, token);
    expect([lost, during].map(({ status, headers }) => [status, headers['retry-after']])).toEqual([
      [503, '1'],
      [503, '1'],
    ]);
    authorize.release();
    world.proxy.mend();
    await untilCaptured(intent);
    const repeats = [await payer.confirm(intent, token), await payer.confirm(intent, token)];
    expect(repeats.map(({ status }) => status)).toEqual([200, 401]);
    await expect(truthOf(world, intent)).resolves.toEqual(PAID_ONCE);
  });
});

/**
 * One statement of a worker and one of an API, over real connections. Simulated lives cover the
 * others (docs/simulation.md).
 */
describe('the answer to a committed statement is lost', () => {
  /** The statement, and the step at which the proxy is set to lose its next answer. */
  const STATEMENTS: readonly (readonly [string, HeldStep])[] = [
    ['transition: created authorize', 'authorize'],
    ['answer-confirm', 'capture'],
  ];

  it.each(STATEMENTS)(
    '%s (%s): the payment is paid once, and answered 200',
    async (statement, step) => {
      const intent = await payer.create();
      const held = world.holds.hold(intent.intentId, step);
      const { confirming } = await payer.confirmUntil(held, intent);
      const lost = world.proxy.loseAnswerTo(statement);
      held.release();
      await lost;
      expect(said(await confirming)).toBe('200 captured');
      await expect(truthOf(world, intent)).resolves.toEqual(PAID_ONCE);
    },
  );
});
