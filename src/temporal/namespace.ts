// Registers the namespace of our workflows on a server that has none. `npm start` does not need
// this: the dev server creates its namespace itself.
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';
import { hasGrpcCode } from './connection';
import { registerSearchAttributes } from './search-attributes';

/**
 * Longer than any dispute about a payment is likely to take. The audit trail itself is in Postgres
 * and is never deleted.
 */
const RETENTION = '30 days';
const RETRY_AFTER_MS = 1_000;

/**
 * Registers the namespace and its search attributes. Idempotent. Retries while the server is
 * starting, and while it has not loaded the new namespace yet (up to ten seconds).
 * @throws the last error after the given number of tries, a second apart
 */
export async function registerNamespace(
  client: Client,
  namespace: string,
  tries: number,
): Promise<void> {
  await retried(tries, () => addNamespace(client, namespace));
  await retried(tries, () => registerSearchAttributes(client.connection, namespace));
}

async function addNamespace(client: Client, namespace: string): Promise<void> {
  try {
    await client.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: msToTs(RETENTION),
    });
  } catch (error) {
    if (hasGrpcCode(error, 'ALREADY_EXISTS')) return;
    throw error;
  }
}

async function retried(tries: number, call: () => Promise<void>): Promise<void> {
  try {
    await call();
  } catch (error) {
    if (tries <= 1 || !hasGrpcCode(error, 'UNAVAILABLE', 'NOT_FOUND')) throw error;
    await pause(RETRY_AFTER_MS);
    await retried(tries - 1, call);
  }
}
