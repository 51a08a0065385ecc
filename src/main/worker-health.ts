// The worker's health check for a container. A worker serves no HTTP, but Temporal lists the
// workers that poll for work: the check exits with 0 when a worker of this host has polled within
// the last minutes.
import { hostname } from 'node:os';
import { PAYMENTS_QUEUE } from '../../workflows/messages/messages';
import { readTemporalConfig } from '../config';
import { connectTemporal } from '../temporal/connection';
import { runOnce } from './process';

/**
 * Temporal drops a poller from its list after five minutes without a poll; a live worker polls at
 * least once a minute.
 */
const POLLED_WITHIN_MS = 150_000;
const WORKFLOW_TASKS = 1;

interface Poller {
  readonly identity?: string | null;
  readonly lastAccessTime?: { readonly seconds?: unknown } | null;
}

runOnce('worker-health', async () => {
  const { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace } = readTemporalConfig();
  const client = connectTemporal({ address, namespace });
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: PAYMENTS_QUEUE },
    taskQueueType: WORKFLOW_TASKS,
  });
  await client.connection.close();
  if (!pollers.some(isHere)) throw new Error('no worker of this host has polled for work lately');
});

function isHere({ identity, lastAccessTime }: Poller): boolean {
  const isThisHost = identity?.endsWith(`@${hostname()}`) ?? false;
  return isThisHost && Date.now() - Number(lastAccessTime?.seconds) * 1000 < POLLED_WITHIN_MS;
}
