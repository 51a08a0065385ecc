// Contract of the port `PaymentRunner`, one test per sentence, for Temporal and for the simulator
// of the API's tests. The answer of a runner proves no outcome (rule R2), so these tests read the
// rows.
import { until } from '../../src/dev/until';
import type { PaymentIntent } from '../../src/domain/intents/payment-intent';
import { toPaymentStart } from '../../src/domain/intents/payment-start';
import type { TokenUse } from '../../src/domain/intents/transition';
import type { RunnerAnswer } from '../../src/ports/intents';
import { endingInRows } from '../faults/live/payment-endings';
import { aNonce, anIntent, aTokenUse, times } from '../support/builders';
import { aPartner, type TestPartner } from '../support/payments/partner';
import { openSimulator, openTemporal, type RunnerUnderTest } from './runners-under-test';

const ANSWERED_WITHIN_MS = 20_000;
const FIVE = 5;

describe.each([
  ['Temporal', openTemporal],
  ['the simulator of the API’s tests', openSimulator],
])('%s as the runner of payments', (_name, open) => {
  let under: RunnerUnderTest;
  let partner: TestPartner;
  beforeAll(async () => {
    under = await open();
    partner = await aPartner(under.bed);
  });
  afterAll(() => under.close(), 60_000);

  const created = () => anIntent(under.bed, partner);
  const aToken = () => aTokenUse(partner);
  const confirm = (
    intent: PaymentIntent,
    token: TokenUse,
    { waitForOutcome = true, deadline = AbortSignal.timeout(ANSWERED_WITHIN_MS) } = {},
  ): Promise<RunnerAnswer> =>
    under.runner.confirm(toPaymentStart(intent), token, { waitForOutcome, deadline });
  const cancel = (intent: PaymentIntent, nonce = aNonce()): Promise<RunnerAnswer> =>
    under.runner.cancel(toPaymentStart(intent), nonce, AbortSignal.timeout(ANSWERED_WITHIN_MS));
  const endingOf = async ({ intentId }: PaymentIntent) => {
    const { status, transfers } = await endingInRows(under.bed.database, intentId);
    return [status, ...transfers.map((transfer) => transfer.split(' ', 1)[0])];
  };
  const PAID_ONCE = ['captured', 'capture', 'debit'];

  describe('begin', () => {
    it('never throws and never waits, whether Temporal is reachable or not', async () => {
      const payment = toPaymentStart(await created());
      expect(() => {
        under.runner.begin(payment);
        under.away.begin(payment);
      }).not.toThrow();
    });

    it('starts one workflow when it is called many times, and the payment is paid once', async () => {
      const intent = await created();
      for (let calls = 0; calls < FIVE; calls += 1) under.runner.begin(toPaymentStart(intent));
      await expect(confirm(intent, aToken())).resolves.toBe('answered');
      await expect(endingOf(intent)).resolves.toEqual(PAID_ONCE);
    });
  });

  describe('confirm', () => {
    it('authorizes and settles, and starts the workflow where there is none', async () => {
      const intent = await created();
      await expect(confirm(intent, aToken())).resolves.toBe('answered');
      await expect(endingOf(intent)).resolves.toEqual(PAID_ONCE);
    });

    it('answers at authorized when it waits only for the authorization, and the payment is still settled', async () => {
      const intent = await created();
      const answer = await confirm(intent, aToken(), { waitForOutcome: false });
      const [status] = await endingOf(intent);
      expect([answer, ['authorized', 'captured'].includes(status ?? '')]).toEqual([
        'answered',
        true,
      ]);
      await untilCaptured(intent);
      await expect(endingOf(intent)).resolves.toEqual(PAID_ONCE);
    });

    it('is idempotent per token: repeats, also simultaneous ones, execute nothing again', async () => {
      const intent = await created();
      const token = aToken();
      await times(FIVE, () => confirm(intent, token));
      await expect(confirm(intent, token)).resolves.toBe('answered');
      await expect(endingOf(intent)).resolves.toEqual(PAID_ONCE);
    });

    it('answers and authorizes nothing for a token that is spent on another intent', async () => {
      const [one, two] = [await created(), await created()];
      const token = aToken();
      await confirm(one, token);
      await expect(confirm(two, token)).resolves.toBe('answered');
      await expect(endingOf(two)).resolves.toEqual(['created']);
    });

    it('answers and changes nothing for a cancelled intent', async () => {
      const intent = await created();
      await cancel(intent);
      await expect(confirm(intent, aToken())).resolves.toBe('answered');
      await expect(endingOf(intent)).resolves.toEqual(['cancelled']);
    });

    it('returns when its caller stops waiting, and the payment goes on', async () => {
      const intent = await created();
      const stop = new AbortController();
      const answering = confirm(intent, aToken(), { deadline: stop.signal });
      await until(async () => (await endingOf(intent))[0] !== 'created', {
        timeoutMs: ANSWERED_WITHIN_MS,
      });
      stop.abort();
      expect(['answered', 'no_answer']).toContain(await answering);
      await untilCaptured(intent);
      await expect(endingOf(intent)).resolves.toEqual(PAID_ONCE);
    });
  });

  describe('cancel', () => {
    it('cancels, and starts the workflow where there is none', async () => {
      const intent = await created();
      await expect(cancel(intent)).resolves.toBe('answered');
      await expect(endingOf(intent)).resolves.toEqual(['cancelled']);
    });

    it('is idempotent per nonce: repeats, also simultaneous ones, are answered', async () => {
      const intent = await created();
      const nonce = aNonce();
      const answers = await times(FIVE, () => cancel(intent, nonce));
      expect(answers).toEqual(answers.map(() => 'answered'));
      await expect(cancel(intent, nonce)).resolves.toBe('answered');
      await expect(endingOf(intent)).resolves.toEqual(['cancelled']);
    });

    it('answers and changes nothing for a paid intent', async () => {
      const intent = await created();
      await confirm(intent, aToken());
      await expect(cancel(intent)).resolves.toBe('answered');
      await expect(endingOf(intent)).resolves.toEqual(PAID_ONCE);
    });
  });

  it('returns no_answer and does not throw while Temporal is unreachable', async () => {
    const intent = await created();
    const payment = toPaymentStart(intent);
    const deadline = AbortSignal.timeout(ANSWERED_WITHIN_MS);
    const waiting = { waitForOutcome: true, deadline };
    const answers = [
      await under.away.confirm(payment, aToken(), waiting),
      await under.away.cancel(payment, aNonce(), deadline),
    ];
    expect(answers).toEqual(['no_answer', 'no_answer']);
    await expect(endingOf(intent)).resolves.toEqual(['created']);
  });

  it('returns no_answer and does not throw when Temporal is silent and the caller stops waiting', async () => {
    const payment = toPaymentStart(await created());
    const stop = new AbortController();
    const answering = [
      under.silent.confirm(payment, aToken(), { waitForOutcome: true, deadline: stop.signal }),
      under.silent.cancel(payment, aNonce(), stop.signal),
    ];
    stop.abort();
    await expect(Promise.all(answering)).resolves.toEqual(['no_answer', 'no_answer']);
  });

  async function untilCaptured(intent: PaymentIntent): Promise<void> {
    await until(async () => (await endingOf(intent))[0] === 'captured', {
      timeoutMs: ANSWERED_WITHIN_MS,
    });
  }
});
