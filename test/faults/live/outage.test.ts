// "Postgres away in the middle of a confirm", and answers of Postgres that get lost: each payment ends true and is paid at
// most once (architecture, section 3). Here Postgres is away until the step that needs it has failed twice, which is some
// seconds, so that a caller's timeout lasts; long-outage.test.ts has it away for longer than that.
import { until } from '../../../src/dev/until';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { recogniseErrorsOfNode } from '../../support/builders';
import type { HeldStep } from './holds';
import { said, truthOf } from './payer';
import { withLiveScene } from './setup';

recogniseErrorsOfNode();

const PATIENCE = { timeoutMs: 20_000 };
const PAID_ONCE = { status: 'captured', moved: ['capture', 'debit'], executed: [1_250] };
const FAILURES = 2;

const { world, payer } = withLiveScene();
afterEach(() => world.proxy.mend());

async function untilCaptured(intent: PaymentIntent): Promise<void> {
  await until(async () => (await truthOf(world, intent)).status === 'captured', PATIENCE);
}

describe('Postgres goes away in the middle of a confirm', () => {
  /** Where it goes, and the step that fails until it is back. */
  const MOMENTS: readonly (readonly [string, HeldStep, HeldStep])[] = [
    ['before the intent is authorized', 'authorize', 'authorize'],
    ['before the holding account is debited', 'debit', 'debit'],
    ['before the payout is recorded', 'payOut', 'payOut'],
    ['while the order is on its way to the provider', 'order', 'capture'],
    ['before the intent is captured', 'capture', 'capture'],
  ];

  it.each(MOMENTS)('%s: it is paid once, and answered 200 when it is back', async (...moment) => {
    const [, goesAt, fails] = moment;
    const intent = await payer.create();
    const held = world.holds.hold(intent.intentId, goesAt);
    const failing = goesAt === fails ? held : world.holds.hold(intent.intentId, fails);
    const confirming = payer.confirm(intent);
    await held.begun;
    world.proxy.cut();
    held.letGo();
    failing.letGo();
    await until(() => failing.times > FAILURES, PATIENCE);
    world.proxy.mend();
    expect(failing.times).toBeGreaterThan(FAILURES);
    // Its timeout may be over before the last repeat is: then it is told what it is by then.
    expect(said(await confirming)).toMatch(/^200 (captured|authorized)$/);
    await untilCaptured(intent);
    await expect(truthOf(world, intent)).resolves.toEqual(PAID_ONCE);
  });

  it('and whoever asks meanwhile is told 503 with Retry-After, and may repeat with the same token', async () => {
    const intent = await payer.create();
    const token = payer.mint(intent);
    const authorize = world.holds.hold(intent.intentId, 'authorize');
    // Without timeout the API looks at the row at once, and finds no Postgres.
    const impatient = { Prefer: 'respond-async' };
    const confirming = payer.confirm(intent, token, impatient);
    await authorize.begun;
    world.proxy.cut();
    const lost = await confirming;
    const during = await payer.confirm(intent, token);
    expect([lost, during].map(({ status, headers }) => [status, headers['retry-after']])).toEqual([
      [503, '1'],
      [503, '1'],
    ]);
    authorize.letGo();
    world.proxy.mend();
    await untilCaptured(intent);
    const repeats = [await payer.confirm(intent, token), await payer.confirm(intent, token)];
    expect(repeats.map(({ status }) => status)).toEqual([200, 401]);
    await expect(truthOf(world, intent)).resolves.toEqual(PAID_ONCE);
  });
});

/** Of a worker and of an API, over real connections. Every other statement is met by simulated lives (docs/simulation.md). */
describe('Postgres did it, and its answer is lost', () => {
  /** The statement, and the step before which the next of that name is chosen to be lost. */
  const STATEMENTS: readonly (readonly [string, HeldStep])[] = [
    ['transition: created authorize', 'authorize'],
    ['answer-confirm', 'capture'],
  ];

  it.each(STATEMENTS)('%s (%s): it is paid once, and answered 200', async (statement, step) => {
    const intent = await payer.create();
    const held = world.holds.hold(intent.intentId, step);
    const confirming = payer.confirm(intent);
    await held.begun;
    const lost = world.proxy.loseAnswerTo(statement);
    held.letGo();
    await lost;
    expect(said(await confirming)).toBe('200 captured');
    await expect(truthOf(world, intent)).resolves.toEqual(PAID_ONCE);
  });
});
