// `payctl intents confirm`: done when it returns, and rejected with a sentence if the corridor
// requires a scanned code, which this command never carries (decision 20).
import { byCorridor } from '../../../src/corridors/names';
import { confirmByOperator } from '../../../src/ops/intents/confirm';
import type { TokenUse } from '../../../src/domain/intents/transition';
import type { IntentStore } from '../../../src/ports/intents';
import { inPaymentWorld, withPaymentWorld, type PaymentWorld } from '../../support/payment-world';
import { NO_CODE_REQUIRED } from '../../support/payments/qr-codes';
import { expectRejected, runPayctl, textOf } from '../../support/programs/payctl';

const statusOf = ({ rows }: PaymentWorld, intentId: string) =>
  rows('select status from payment_intents where intent_id = $1', intentId);

const confirmByCommand = (
  { environment, url }: PaymentWorld,
  intentId: string,
  settings: Record<string, string> = {},
) =>
  runPayctl({ url }, ['intents', 'confirm', intentId, '--reason', 'they called', '--as', 'ann'], {
    TEMPORAL_ADDRESS: environment.address,
    ...settings,
  });

/** The same, with another timeout. */
const confirmHere = ({ database, environment }: PaymentWorld, intentId: string, waitMs: number) =>
  confirmByOperator(
    {
      database,
      client: environment.client,
      deadline: AbortSignal.timeout(waitMs),
      isQrPayloadRequired: NO_CODE_REQUIRED,
    },
    intentId,
    { actor: 'ann', reason: 'they called' },
  );

describe('with workers that require no code', () => {
  const world = withPaymentWorld();

  it('confirms a created intent, even if another corridor requires a code', async () => {
    const payment = await world.create();
    const workflow = await world.start(payment);
    const settings = { QR_PAYLOAD_REQUIRED_VN_QRPAY: 'true' };
    expect(textOf(await confirmByCommand(world, payment.intentId, settings))).toMatch(
      /authorized by ann: they called/,
    );
    await expect(workflow.result()).resolves.toBe('captured');
  });

  it('is rejected at once if the corridor requires the scanned code', async () => {
    const { intentId } = await world.create();
    expectRejected(
      await confirmByCommand(world, intentId, { QR_PAYLOAD_REQUIRED_TH_QRPAY: 'true' }),
      1,
      /^payctl: A payment to th_qrpay needs the scanned code, .* \(QR_PAYLOAD_REQUIRED_TH_QRPAY\)\. Only the payer can confirm pi_\w+\. Nothing was changed\.\n$/,
    );
    await expect(statusOf(world, intentId)).resolves.toEqual([{ status: 'created' }]);
  });
});

it('is rejected by the workers too, even if the settings of payctl require no code', async () => {
  const isQrPayloadRequired = byCorridor(() => true);
  await inPaymentWorld({ isQrPayloadRequired }, async (world) => {
    const { intentId } = await world.create();
    await expect(confirmHere(world, intentId, 3_000)).rejects.toThrow(
      'the workers reject it (OPERATOR_CONFIRM, QR_PAYLOAD_REQUIRED_TH_QRPAY; their log says which)',
    );
    await expect(statusOf(world, intentId)).resolves.toEqual([{ status: 'created' }]);
    expect(world.sent).toEqual([]);
  });
});

it.each([
  ['a cancel', 'cancel', 'partner', 'became cancelled, by partner'],
  ['the payer’s own confirm', 'authorize', 'payer', 'became authorized, by payer'],
] as const)('is rejected if %s was faster', async (_what, event, actor, became) => {
  const faster: { intents?: IntentStore; token?: TokenUse } = {};
  await inPaymentWorld(
    {
      wrap: (activities) => ({
        ...activities,
        async recordTransition(command) {
          if (command.actor === 'ann') {
            const { intentId, from } = command;
            const token = actor === 'payer' ? faster.token : undefined;
            await faster.intents?.transition({ intentId, from, event, actor, token });
          }
          return activities.recordTransition(command);
        },
      }),
    },
    async (world) => {
      faster.intents = world.intents;
      const payment = await world.create();
      const { partnerId, expiresAtMs } = payment;
      faster.token = { partnerId, expiresAtMs, jtiHash: 'ab'.repeat(32) };
      const workflow = await world.start(payment);
      await expect(confirmHere(world, payment.intentId, 10_000)).rejects.toThrow(
        new RegExp(
          `^${payment.intentId} ${became} at 20[^ ]+Z: this confirm came too late\\. Nothing was changed\\.$`,
        ),
      );
      await workflow.result();
    },
  );
});
