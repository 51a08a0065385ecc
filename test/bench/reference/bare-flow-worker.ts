// The worker of the bare workflow: the SDK's defaults, three activities that do nothing.
import { NativeConnection, Worker } from '@temporalio/worker';
import type { BareActivities } from './bare-flow';

const nothing = () => Promise.resolve();
const activities: BareActivities = { first: nothing, second: nothing, third: nothing };

async function main(): Promise<void> {
  const connection = await NativeConnection.connect({
    address: process.env['TEMPORAL_ADDRESS'] ?? '',
  });
  const worker = await Worker.create({
    connection,
    namespace: process.env['TEMPORAL_NAMESPACE'] ?? 'default',
    taskQueue: 'bare',
    workflowsPath: require.resolve('./bare-flow'),
    activities: { ...activities },
  });
  process.stdout.write('{"msg":"ready"}\n');
  await worker.run();
  await connection.close();
}

void main();
