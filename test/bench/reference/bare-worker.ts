// A worker with the SDK's defaults, for the workflows of a reference.
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';

export async function runBareWorker(
  options: Pick<WorkerOptions, 'taskQueue' | 'workflowsPath' | 'activities'>,
): Promise<void> {
  const connection = await NativeConnection.connect({
    address: process.env['TEMPORAL_ADDRESS'] ?? '',
  });
  const namespace = process.env['TEMPORAL_NAMESPACE'] ?? 'default';
  const worker = await Worker.create({ connection, namespace, ...options });
  process.stdout.write('{"msg":"ready"}\n');
  await worker.run();
  await connection.close();
}
