// The worker of the bare payment: the SDK's defaults, activities that do nothing.
import { NativeConnection, Worker } from '@temporalio/worker';
import type { BareSteps } from './bare-payment';

const nothing = () => Promise.resolve();
const activities: BareSteps = { authorize: nothing, payOut: nothing, deliver: nothing };

async function main(): Promise<void> {
  const connection = await NativeConnection.connect({
    address: process.env['TEMPORAL_ADDRESS'] ?? '',
  });
  const worker = await Worker.create({
    connection,
    namespace: process.env['TEMPORAL_NAMESPACE'] ?? 'default',
    taskQueue: 'bare-payment',
    workflowsPath: require.resolve('./bare-payment'),
    activities: { ...activities },
  });
  process.stdout.write('{"msg":"ready"}\n');
  await worker.run();
  await connection.close();
}

void main();
