// The Temporal client of one command, closed when the command has finished.
import type { Client } from '@temporalio/client';
import { ConfigError, type OpsConfig } from '../config/config';
import { ORCHESTRATION_WAIT_MAX_MS } from '../domain/limits';
import type { Queryable } from '../postgres/database';
import { readOwner } from '../postgres/service-environment';
import { connectTemporal } from '../temporal/connection';
import { afterComparison, verifyNamespace } from '../temporal/namespace-claim';

export interface TemporalTools {
  readonly client: Client;
  /** Aborted when the timeout of all calls to Temporal has passed. */
  readonly deadline: AbortSignal;
}

export interface TemporalSession {
  readonly config: Pick<OpsConfig, 'temporal'>;
  readonly database: Queryable;
}

export async function withTemporal<Result>(
  { config, database }: TemporalSession,
  work: (tools: TemporalTools) => Promise<Result>,
  timeoutMs = ORCHESTRATION_WAIT_MAX_MS,
): Promise<Result> {
  const verify = afterComparison(() => verifyNamespace(client, () => readOwner(database)));
  const client: Client = connectTemporal(config.temporal, undefined, [verify]);
  try {
    return await work({ client, deadline: AbortSignal.timeout(timeoutMs) });
  } finally {
    await client.connection.close();
  }
}

/** @throws the ConfigError itself, which ends the command */
export function noAnswer(error: unknown): string {
  if (error instanceof ConfigError) throw error;
  return `Temporal gave no answer (${error instanceof Error ? error.message : String(error)})`;
}
