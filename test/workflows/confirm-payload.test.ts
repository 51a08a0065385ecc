// The scanned code on its way from confirm to the provider (decision 20), through a real run: it is in Postgres and in the order,
// and in nothing that Temporal keeps.
import { bundleWorkflowCode, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import type { PaymentStart } from '../../src/domain/payment-start';
import { createSessionTokenStore } from '../../src/postgres/session-tokens';
import { inPaymentWorld, type PaymentWorld } from '../support/payment-world';
import { aThaiCode } from '../support/qr-codes';
import { quietTemporal, workflowsToTest } from '../support/quiet-temporal';

const [CODE, OTHER] = [aThaiCode({ '54': '1' }), aThaiCode({ '54': '2' })];
const [FIRST_JTI, SECOND_JTI] = ['ab'.repeat(32), 'cd'.repeat(32)];

let workflowBundle: WorkflowBundleWithSourceMap;
beforeAll(async () => {
  quietTemporal();
  workflowBundle = await bundleWorkflowCode(workflowsToTest);
});

/** What the API does with the code before it asks the run. */
function keep(world: PaymentWorld, payment: PaymentStart, jtiHash: string, code: string) {
  const { intentId, partnerId, expiresAtMs } = payment;
  const tokens = createSessionTokenStore(world.database);
  return tokens.keepPayload(intentId, { partnerId, jtiHash, expiresAtMs }, code);
}

const codesSent = ({ sent }: PaymentWorld) => sent.map(({ qrPayload }) => qrPayload);

it('the provider is sent it once, and the history does not hold it', async () => {
  await inPaymentWorld({ workflowBundle }, async (world) => {
    const payment = await world.create();
    const run = await world.start(payment);
    await keep(world, payment, FIRST_JTI, CODE);
    await expect(world.confirm(payment, FIRST_JTI)).resolves.toEqual({ status: 'captured' });
    expect(codesSent(world)).toEqual([CODE]);
    const history = historyToJSON(await run.fetchHistory());
    const texts = [history, ...decodedPayloads(history)];
    expect(texts.join()).toContain(payment.intentId);
    expect(texts.filter((text) => text.includes(CODE))).toEqual([]);
  });
});

it('a sending that is repeated under the same key carries the same code', async () => {
  await inPaymentWorld(
    { workflowBundle, provider: ['unknown', 'not_found', 'paid'] },
    async (world) => {
      const payment = await world.create();
      await world.start(payment);
      await keep(world, payment, FIRST_JTI, CODE);
      await expect(world.confirm(payment, FIRST_JTI)).resolves.toEqual({ status: 'captured' });
      expect(codesSent(world)).toEqual([CODE, CODE]);
    },
  );
});

it('of two confirms at once the provider is sent the code of the one that authorized', async () => {
  await inPaymentWorld({ workflowBundle }, async (world) => {
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
  });
});

/** Arguments and results are base64 in a history. */
function decodedPayloads(history: string): readonly string[] {
  const found = history.matchAll(/"data":\s*"([A-Za-z0-9+/=]+)"/g);
  return [...found].map(([, data]) => Buffer.from(data ?? '', 'base64').toString());
}
