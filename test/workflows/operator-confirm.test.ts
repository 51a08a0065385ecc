// An operator's confirm, which has no token (architecture, section 3, "Messages"). Workers must
// allow it, and it is rejected if the corridor requires a scanned code (decision 20).
import { byCorridor } from '../../src/corridors/names';
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

const confirmByOperator = ({ environment, payment }: StartedWorld) =>
  confirmPayment(environment.client, payment, OPERATOR);
const authorizedBy = ({ rows }: StartedWorld) =>
  rows(`select actor, reason from intent_transitions where to_status = 'authorized'`);
const codesSent = ({ sent }: StartedWorld) => sent.map(({ qrPayload }) => qrPayload);

/** Stores the code, as the API does before it sends the confirm update. */
function storePayload({ database, payment }: StartedWorld, jtiHash: string, code: string) {
  const { intentId, partnerId, expiresAtMs } = payment;
  const tokens = createSessionTokenStore(database);
  return tokens.storePayload(intentId, { partnerId, jtiHash, expiresAtMs }, { qrPayload: code });
}

/** Sends an operator's confirm that must be rejected, then goes on with the payment. */
async function afterRejectedConfirm(
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
      if (report.outcome === 'not_allowed') rejections += 1;
      return report;
    },
  });
  await withPayment({ ...settings, wrap }, async (world) => {
    await confirmByOperator(world);
    await until(() => rejections > 0, { timeoutMs: 10_000 });
    expect(rejections).toBe(1);
    await expect(authorizedBy(world)).resolves.toEqual([]);
    expect(world.sent).toEqual([]);
    await goOn(world);
  });
}

it.each<[string, WorldOptions]>([
  ['pays, with the operator in the audit trail', {}],
  [
    'pays in a corridor that requires no scanned code',
    { isQrPayloadRequired: byCorridor((corridor) => corridor !== 'th_qrpay') },
  ],
])("an operator's confirm %s", (_name, settings) =>
  withPayment(settings, async (world) => {
    await confirmByOperator(world);
    await expect(world.workflow.result()).resolves.toBe('captured');
    await expect(authorizedBy(world)).resolves.toEqual([OPERATOR]);
  }),
);

it("an operator's confirm of a finished payment changes nothing", () =>
  withPayment(async (world) => {
    await world.confirm();
    await world.workflow.signal(operatorConfirmSignal, OPERATOR).catch(() => undefined);
    await expect(world.workflow.result()).resolves.toBe('captured');
    await expect(authorizedBy(world)).resolves.toEqual([PAYER]);
  }));

it("an operator's confirm authorizes nothing if workers do not allow it", () =>
  afterRejectedConfirm({ isOperatorConfirmAllowed: false }, async (world) => {
    await expect(world.confirm(JTI)).resolves.toEqual({ status: 'captured' });
    await expect(authorizedBy(world)).resolves.toEqual([PAYER]);
  }));

const CODE_REQUIRED = byCorridor((corridor) => corridor === 'th_qrpay');

it("an operator's confirm authorizes nothing if the corridor requires a scanned code", () =>
  afterRejectedConfirm(
    { isQrPayloadRequired: CODE_REQUIRED, isProviderTruthful: true },
    async (world) => {
      await storePayload(world, JTI, CODE);
      await expect(world.confirm(JTI)).resolves.toEqual({ status: 'captured' });
      expect(codesSent(world)).toEqual([CODE]);
    },
  ));

// The scanned code goes from Postgres to the provider only: no history may hold it.
describe('a scanned code', () => {
  it('is sent to the provider once, and the history does not hold it', () =>
    withPayment(async (world) => {
      await storePayload(world, JTI, CODE);
      await expect(world.confirm(JTI)).resolves.toEqual({ status: 'captured' });
      expect(codesSent(world)).toEqual([CODE]);
      const history = historyToJSON(await world.workflow.fetchHistory());
      const texts = [history, ...decodedPayloads(history)];
      expect(texts.join()).toContain(world.payment.intentId);
      expect(texts.filter((text) => text.includes(CODE))).toEqual([]);
    }));

  it('is sent again with a repeated order', () =>
    withPayment({ isFirstOrderLost: true }, async (world) => {
      await storePayload(world, JTI, CODE);
      await expect(world.passTimeUntil(world.confirm(JTI))).resolves.toEqual({
        status: 'captured',
      });
      expect(codesSent(world)).toEqual([CODE, CODE]);
    }));

  it('is sent from the one of two simultaneous confirms that authorized', () =>
    withPayment(async (world) => {
      await storePayload(world, JTI, CODE);
      await storePayload(world, OTHER_JTI, OTHER_CODE);
      await Promise.allSettled([world.confirm(OTHER_JTI), world.confirm(JTI)]);
      const spent = await world.rows<{ readonly jti: string }>(
        `select encode(jti_hash, 'hex') as jti from used_tokens`,
      );
      expect(spent).toHaveLength(1);
      expect(codesSent(world)).toEqual([spent[0]?.jti === JTI ? CODE : OTHER_CODE]);
    }));
});
