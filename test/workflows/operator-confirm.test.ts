// A confirm by operations, without a token (architecture, section 3, "Messages"): in the audit trail by its operator, too
// late for what has ended, only where workers allow it, and never without a payee where the corridor requires one (decision 20).
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import type { PaymentActivities } from '../../activities';
import { until } from '../../src/dev/until';
import { createSessionTokenStore } from '../../src/postgres/partners/session-tokens';
import { confirmPayment } from '../../src/temporal/payment-start';
import { operatorConfirmSignal } from '../../workflows/messages/messages';
import { decodedPayloads } from '../replay/histories';
import type { WorldOptions } from '../support/payment-world';
import { aThaiCode } from '../support/payments/qr-codes';
import { withPayment, type StartedWorld } from './started-payment';

const OPERATOR = { actor: 'ann', reason: 'the payer called' };
const PAYER = { actor: 'payer', reason: null };
const [JTI, OTHER_JTI] = ['ab'.repeat(32), 'cd'.repeat(32)];
const [CODE, OTHER_CODE] = [aThaiCode({ '54': '1' }), aThaiCode({ '54': '2' })];

const confirmed = ({ environment, payment }: StartedWorld) =>
  confirmPayment(environment.client, payment, OPERATOR);
const authorizedBy = ({ rows }: StartedWorld) =>
  rows(`select actor, reason from intent_transitions where to_status = 'authorized'`);
const codesSent = ({ sent }: StartedWorld) => sent.map(({ qrPayload }) => qrPayload);

/** What the API does with the code before it asks the run. */
function keep({ database, payment }: StartedWorld, jtiHash: string, code: string) {
  const { intentId, partnerId, expiresAtMs } = payment;
  const tokens = createSessionTokenStore(database);
  return tokens.keepPayload(intentId, { partnerId, jtiHash, expiresAtMs }, code);
}

/** Goes on with a payment that operations tried to confirm, once its activity has refused that: nothing is authorized, nothing is sent. */
async function whereRefused(
  settings: Pick<
    WorldOptions,
    'isOperatorConfirmAllowed' | 'isQrPayloadRequired' | 'isProviderTruthful'
  >,
  goOn: (world: StartedWorld) => Promise<void>,
): Promise<void> {
  let rejections = 0;
  const wrap = (activities: PaymentActivities): PaymentActivities => ({
    ...activities,
    async recordTransition(command) {
      const report = await activities.recordTransition(command);
      if (report.outcome === 'token_refused') rejections += 1;
      return report;
    },
  });
  await withPayment({ ...settings, wrap }, async (world) => {
    await confirmed(world);
    await until(() => rejections > 0, { timeoutMs: 10_000 });
    expect(rejections).toBe(1);
    await expect(authorizedBy(world)).resolves.toEqual([]);
    expect(world.sent).toEqual([]);
    await goOn(world);
  });
}

it.each<[string, WorldOptions]>([
  ['is paid like any other, with the operator in the audit trail', {}],
  [
    'is paid in a corridor that requires no scanned code',
    { isQrPayloadRequired: { th_qrpay: false, vn_qrpay: true } },
  ],
])('%s', (_name, settings) =>
  withPayment(settings, async (world) => {
    await confirmed(world);
    await expect(world.run.result()).resolves.toBe('captured');
    await expect(authorizedBy(world)).resolves.toEqual([OPERATOR]);
  }),
);

it('comes too late for what has ended, and changes nothing', () =>
  withPayment(async (world) => {
    await world.confirm();
    await world.run.signal(operatorConfirmSignal, OPERATOR).catch(() => undefined);
    await expect(world.run.result()).resolves.toBe('captured');
    await expect(authorizedBy(world)).resolves.toEqual([PAYER]);
  }));

it('authorizes nothing where workers do not allow it, as in prod; the payer may still confirm', () =>
  whereRefused({ isOperatorConfirmAllowed: false }, async (world) => {
    await expect(world.confirm(JTI)).resolves.toEqual({ status: 'captured' });
    await expect(authorizedBy(world)).resolves.toEqual([PAYER]);
  }));

const CODE_REQUIRED = { th_qrpay: true, vn_qrpay: false };

it('authorizes nothing where the corridor requires the scanned code, since it has no payee; the payer may still confirm with one', () =>
  whereRefused({ isQrPayloadRequired: CODE_REQUIRED, isProviderTruthful: true }, async (world) => {
    await keep(world, JTI, CODE);
    await expect(world.confirm(JTI)).resolves.toEqual({ status: 'captured' });
    expect(codesSent(world)).toEqual([CODE]);
  }));

// The scanned code on its way from confirm to the provider (decision 20), through a real run: it is in Postgres and in the order,
// and in nothing that Temporal keeps.
describe('a confirm with a scanned code', () => {
  it('the provider is sent it once, and the history does not hold it', () =>
    withPayment(async (world) => {
      await keep(world, JTI, CODE);
      await expect(world.confirm(JTI)).resolves.toEqual({ status: 'captured' });
      expect(codesSent(world)).toEqual([CODE]);
      const history = historyToJSON(await world.run.fetchHistory());
      const texts = [history, ...decodedPayloads(history)];
      expect(texts.join()).toContain(world.payment.intentId);
      expect(texts.filter((text) => text.includes(CODE))).toEqual([]);
    }));

  it('a sending that is repeated under the same key carries the same code', () =>
    withPayment({ isFirstOrderLost: true }, async (world) => {
      await keep(world, JTI, CODE);
      await expect(world.passTimeUntil(world.confirm(JTI))).resolves.toEqual({
        status: 'captured',
      });
      expect(codesSent(world)).toEqual([CODE, CODE]);
    }));

  it('of two confirms at once the provider is sent the code of the one that authorized', () =>
    withPayment(async (world) => {
      await keep(world, JTI, CODE);
      await keep(world, OTHER_JTI, OTHER_CODE);
      await Promise.allSettled([world.confirm(OTHER_JTI), world.confirm(JTI)]);
      const spent = await world.rows<{ readonly jti: string }>(
        `select encode(jti_hash, 'hex') as jti from used_tokens`,
      );
      expect(spent).toHaveLength(1);
      expect(codesSent(world)).toEqual([spent[0]?.jti === JTI ? CODE : OTHER_CODE]);
    }));
});
