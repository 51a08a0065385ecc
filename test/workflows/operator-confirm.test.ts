// A confirm by operations, without a token (architecture, section 3, "Messages"): in the audit trail by its operator, too
// late for what has ended, only where workers allow it, and never without a payee where the corridor requires one (decision 20).
import type { PaymentActivities } from '../../activities';
import { until } from '../../src/dev/until';
import type { PaymentStart } from '../../src/domain/payment-start';
import { createSessionTokenStore } from '../../src/postgres/session-tokens';
import { confirmPayment } from '../../src/temporal/payment-start';
import { operatorConfirmSignal } from '../../workflows/messages';
import { inPaymentWorld, type PaymentWorld, type WorldOptions } from '../support/payment-world';
import { aThaiCode } from '../support/qr-codes';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';

const OPERATOR = { actor: 'ann', reason: 'the payer called' };
const JTI = 'ab'.repeat(32);

async function authorizedBy({ database }: PaymentWorld): Promise<readonly unknown[]> {
  const { rows } = await database.query({
    text: `select actor, reason from intent_transitions where to_status = 'authorized'`,
  });
  return rows;
}

/** Goes on with a payment that operations tried to confirm, once its activity has refused that: nothing is authorized, nothing is sent. */
async function whereRefused(
  settings: Pick<WorldOptions, 'isOperatorConfirmAllowed' | 'isQrPayloadRequired'>,
  goOn: (world: PaymentWorld, payment: PaymentStart) => Promise<void>,
): Promise<void> {
  let refusals = 0;
  const wrap = (activities: PaymentActivities): PaymentActivities => ({
    ...activities,
    async recordTransition(command) {
      const report = await activities.recordTransition(command);
      if (report.outcome === 'token_refused') refusals += 1;
      return report;
    },
  });
  await inPaymentWorld({ ...settings, wrap }, async (world) => {
    const payment = await world.create();
    await world.start(payment);
    await confirmPayment(world.environment.client, payment, OPERATOR);
    await until(() => refusals > 0, { timeoutMs: 10_000 });
    expect(refusals).toBe(1);
    await expect(authorizedBy(world)).resolves.toEqual([]);
    expect(world.sent).toEqual([]);
    await goOn(world, payment);
  });
}

it('is paid like any other, with the operator in the audit trail', () =>
  inPaymentWorld(async (world) => {
    const payment = await world.create();
    const run = await world.start(payment);
    await confirmPayment(world.environment.client, payment, OPERATOR);
    await expect(run.result()).resolves.toBe('captured');
    await expect(authorizedBy(world)).resolves.toEqual([OPERATOR]);
  }));

it('comes too late for what has ended, and changes nothing', () =>
  inPaymentWorld(async (world) => {
    const payment = await world.create();
    const run = await world.start(payment);
    await world.confirm(payment);
    await run.signal(operatorConfirmSignal, OPERATOR).catch(() => undefined);
    await expect(run.result()).resolves.toBe('captured');
    await expect(authorizedBy(world)).resolves.toEqual([{ actor: 'payer', reason: null }]);
  }));

it('authorizes nothing where workers do not allow it, as in prod; the payer may still confirm', async () => {
  await whereRefused({ isOperatorConfirmAllowed: false }, async (world, payment) => {
    await expect(world.confirm(payment, JTI)).resolves.toEqual({ status: 'captured' });
    await expect(authorizedBy(world)).resolves.toEqual([{ actor: 'payer', reason: null }]);
  });
});

describe('where the corridor requires the scanned code', () => {
  const required = { th_qrpay: true, vn_qrpay: false };

  it('authorizes nothing, since it has no payee; the payer may still confirm with one', async () => {
    await whereRefused({ isQrPayloadRequired: required }, async (world, payment) => {
      const { intentId, partnerId, expiresAtMs } = payment;
      const token = { partnerId, jtiHash: JTI, expiresAtMs };
      const code = aThaiCode();
      await createSessionTokenStore(world.database).keepPayload(intentId, token, code);
      await expect(world.confirm(payment, JTI)).resolves.toEqual({ status: 'captured' });
      expect(world.sent.map(({ qrPayload }) => qrPayload)).toEqual([code]);
    });
  });

  it('is paid in a corridor that requires none', async () => {
    const isQrPayloadRequired = { th_qrpay: false, vn_qrpay: true };
    await inPaymentWorld({ isQrPayloadRequired }, async (world) => {
      const payment = await world.create();
      const run = await world.start(payment);
      await confirmPayment(world.environment.client, payment, OPERATOR);
      await expect(run.result()).resolves.toBe('captured');
      await expect(authorizedBy(world)).resolves.toEqual([OPERATOR]);
    });
  });
});

// The scanned code on its way from confirm to the provider (decision 20), through a real run: it is in Postgres and in the order,
// and in nothing that Temporal keeps.
describe('a confirm with a scanned code', () => {
  const [CODE, OTHER] = [aThaiCode({ '54': '1' }), aThaiCode({ '54': '2' })];
  const [FIRST_JTI, SECOND_JTI] = ['ab'.repeat(32), 'cd'.repeat(32)];

  /** What the API does with the code before it asks the run. */
  function keep(world: PaymentWorld, payment: PaymentStart, jtiHash: string, code: string) {
    const { intentId, partnerId, expiresAtMs } = payment;
    const tokens = createSessionTokenStore(world.database);
    return tokens.keepPayload(intentId, { partnerId, jtiHash, expiresAtMs }, code);
  }

  const codesSent = ({ sent }: PaymentWorld) => sent.map(({ qrPayload }) => qrPayload);

  it('the provider is sent it once, and the history does not hold it', () =>
    inPaymentWorld(async (world) => {
      const payment = await world.create();
      const run = await world.start(payment);
      await keep(world, payment, FIRST_JTI, CODE);
      await expect(world.confirm(payment, FIRST_JTI)).resolves.toEqual({ status: 'captured' });
      expect(codesSent(world)).toEqual([CODE]);
      const history = historyToJSON(await run.fetchHistory());
      const texts = [history, ...decodedPayloads(history)];
      expect(texts.join()).toContain(payment.intentId);
      expect(texts.filter((text) => text.includes(CODE))).toEqual([]);
    }));

  it('a sending that is repeated under the same key carries the same code', () =>
    inPaymentWorld({ provider: ['unknown', 'not_found', 'paid'] }, async (world) => {
      const payment = await world.create();
      await world.start(payment);
      await keep(world, payment, FIRST_JTI, CODE);
      await expect(world.confirm(payment, FIRST_JTI)).resolves.toEqual({ status: 'captured' });
      expect(codesSent(world)).toEqual([CODE, CODE]);
    }));

  it('of two confirms at once the provider is sent the code of the one that authorized', () =>
    inPaymentWorld(async (world) => {
      const payment = await world.create();
      await world.start(payment);
      await keep(world, payment, FIRST_JTI, CODE);
      await keep(world, payment, SECOND_JTI, OTHER);
      const confirms = [world.confirm(payment, SECOND_JTI), world.confirm(payment, FIRST_JTI)];
      await Promise.allSettled(confirms);
      const { rows } = await world.database.query<{ readonly jti: string }>({
        text: `select encode(jti_hash, 'hex') as jti from used_tokens`,
      });
      expect(rows).toHaveLength(1);
      expect(codesSent(world)).toEqual([rows[0]?.jti === FIRST_JTI ? CODE : OTHER]);
    }));

  /** Arguments and results are base64 in a history. */
  function decodedPayloads(history: string): readonly string[] {
    const found = history.matchAll(/"data":\s*"([A-Za-z0-9+/=]+)"/g);
    return [...found].map(([, data]) => Buffer.from(data ?? '', 'base64').toString());
  }
});
