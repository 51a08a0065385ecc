// The namespace of our workflows: registers it on a server that has none, and checks its search
// attributes. `npm start` does not need to register: the dev server creates its namespace itself.
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';
import type { Log } from '../ports/observe';
import { callWithin } from './connection';
import { hasGrpcCode } from './grpc-codes';
import { registerSearchAttributes, SEARCH_ATTRIBUTES } from './search-attributes';

/**
 * Longer than any dispute about a payment is likely to take. The audit trail itself is in Postgres
 * and is never deleted.
 */
const RETENTION = '30 days';
const RETRY_AFTER_MS = 1_000;

/**
 * Registers the namespace and its search attributes. Idempotent. Retries while the server is
 * starting, and while it has not loaded the new namespace yet (up to ten seconds).
 * @param admit called once the namespace exists, before anything of it is changed
 * @throws the last error after the given number of tries, a second apart
 */
export async function registerNamespace(
  client: Client,
  namespace: string,
  tries: number,
  admit: () => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  await retried(tries, () => addNamespace(client, namespace));
  await retried(tries, admit);
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
    if (!hasGrpcCode(error, 'PERMISSION_DENIED', 'UNIMPLEMENTED')) throw error;
    // A hosted service creates namespaces in another way; this one has to be there then.
    await client.workflowService.describeNamespace({ namespace });
  }
}

/**
 * Warns of attributes that the namespace does not have. A worker that may not list them learns from
 * the first start that is refused.
 */
export async function warnOfMissingAttributes(
  client: Client,
  log: Pick<Log, 'info' | 'warn'>,
): Promise<void> {
  const { namespace } = client.options;
  try {
    const { customAttributes } = await callWithin(client, () =>
      client.connection.operatorService.listSearchAttributes({ namespace }),
    );
    const missing = SEARCH_ATTRIBUTES.filter(({ name }) => !(name in customAttributes));
    if (missing.length === 0) return;
    log.warn(
      { search_attributes: missing.map(({ name }) => name), namespace },
      'the namespace lacks search attributes; run prepare-temporal, then restart',
    );
  } catch (error) {
    log.info({ err: error, namespace }, 'the search attributes of the namespace are not known');
  }
}

async function retried(tries: number, call: () => Promise<unknown>): Promise<void> {
  try {
    await call();
  } catch (error) {
    if (tries <= 1 || !hasGrpcCode(error, 'UNAVAILABLE', 'NOT_FOUND')) throw error;
    await pause(RETRY_AFTER_MS);
    await retried(tries - 1, call);
  }
}
