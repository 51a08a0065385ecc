// The Temporal client of one command, closed when the command has finished.
import type { OpsConfig } from '../config';
import { ORCHESTRATION_WAIT_MAX_MS } from '../domain/limits';
import { connectTemporal } from '../temporal/connection';

export interface TemporalTools {
  readonly client: ReturnType<typeof connectTemporal>;
  /** Aborted when the timeout of all calls to Temporal has passed. */
  readonly deadline: AbortSignal;
}

export async function withTemporal<Result>(
  { temporal }: Pick<OpsConfig, 'temporal'>,
  work: (tools: TemporalTools) => Promise<Result>,
  timeoutMs = ORCHESTRATION_WAIT_MAX_MS,
): Promise<Result> {
  const client = connectTemporal(temporal);
  try {
    return await work({ client, deadline: AbortSignal.timeout(timeoutMs) });
  } finally {
    await client.connection.close();
  }
}

export function noAnswer(error: unknown): string {
  return `Temporal gave no answer (${error instanceof Error ? error.message : String(error)})`;
}
