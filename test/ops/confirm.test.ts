// `payctl intents confirm` (architecture, section 7): in force when it returns, and refused in a sentence where the corridor
// requires a scanned code, which it never carries (decision 20).
import { bundleWorkflowCode, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { confirmByOperator } from '../../src/ops/operator-actions';
import { inPaymentWorld, type PaymentWorld } from '../support/payment-world';
import { NO_CODE_REQUIRED } from '../support/qr-codes';
import { quietTemporal, workflowsToTest } from '../support/quiet-temporal';
import { runPayctl } from './payctl';

let workflowBundle: WorkflowBundleWithSourceMap;
beforeAll(async () => {
  quietTemporal();
  workflowBundle = await bundleWorkflowCode(workflowsToTest);
});

const statusIn = async ({ database }: PaymentWorld) => {
  const { rows } = await database.query({ text: 'select status from payment_intents' });
  return rows;
};

/** By a process of its own, as operations do. */
const confirmByCommand = (
  { environment, url }: PaymentWorld,
  intentId: string,
  settings: Record<string, string> = {},
) =>
  runPayctl({ url }, ['intents', 'confirm', intentId, '--reason', 'they called', '--as', 'ann'], {
    TEMPORAL_ADDRESS: environment.address,
    ...settings,
  });

it('confirms a created intent, and prints its story', async () => {
  await inPaymentWorld({ workflowBundle }, async (world) => {
    const payment = await world.create();
    const run = await world.start(payment);
    const ran = await confirmByCommand(world, payment.intentId);
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    expect(ran.stdout).toMatch(/ann +they called/);
    await expect(run.result()).resolves.toBe('captured');
  });
});

it('is refused before anybody is asked where the corridor requires the scanned code', async () => {
  await inPaymentWorld({ workflowBundle }, async (world) => {
    const { intentId } = await world.create();
    const ran = await confirmByCommand(world, intentId, { QR_PAYLOAD_REQUIRED_TH_QRPAY: 'true' });
    expect([ran.code, ran.stdout]).toEqual([1, '']);
    expect(ran.stderr).toMatch(
      /^payctl: A payment to th_qrpay needs the scanned code, .* \(QR_PAYLOAD_REQUIRED_TH_QRPAY\)\. Only the payer can confirm pi_\w+\. Nothing was changed\.\n$/,
    );
    await expect(statusIn(world)).resolves.toEqual([{ status: 'created' }]);
  });
});

it('is not held up by what another corridor requires', async () => {
  await inPaymentWorld({ workflowBundle }, async (world) => {
    const { intentId } = await world.create();
    const ran = await confirmByCommand(world, intentId, { QR_PAYLOAD_REQUIRED_VN_QRPAY: 'true' });
    expect([ran.code, ran.stderr]).toEqual([0, '']);
  });
});

it('is refused by the workers too, where operations’ own settings do not say so', async () => {
  const isQrPayloadRequired = { th_qrpay: true, vn_qrpay: true };
  await inPaymentWorld({ workflowBundle, isQrPayloadRequired }, async (world) => {
    const { intentId } = await world.create();
    const tools = {
      database: world.database,
      client: world.environment.client,
      deadline: AbortSignal.timeout(3_000),
      isQrPayloadRequired: NO_CODE_REQUIRED,
    };
    const confirming = confirmByOperator(tools, intentId, { actor: 'ann', reason: 'they called' });
    await expect(confirming).rejects.toThrow(
      'workers refuse it (OPERATOR_CONFIRM, QR_PAYLOAD_REQUIRED_TH_QRPAY; their log says which)',
    );
    await expect(statusIn(world)).resolves.toEqual([{ status: 'created' }]);
    expect(world.sent).toEqual([]);
  });
});
