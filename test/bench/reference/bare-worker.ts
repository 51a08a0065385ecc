// A worker with the SDK's defaults, for the workflows of a reference.
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';

export async function runBareWorker(
  options: Pick<WorkerOptions, 'taskQueue' | 'workflowsPath' | 'activities'>,
): Promise<void> {
  const { connectionOptions, namespace = 'default' } = loadClientConnectConfig();
  const connection = await NativeConnection.connect(connectionOptions);
  const worker = await Worker.create({ connection, namespace, ...options });
  process.stdout.write('{"msg":"ready"}\n');
  await worker.run();
  await connection.close();
}
