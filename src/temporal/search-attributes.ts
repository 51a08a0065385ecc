// The attributes by which operators search payments. prepare-temporal registers them; workers only
// check whether they are there (decision 137).
import type { Connection } from '@temporalio/client';
import {
  CORRIDOR,
  NEEDS_ATTENTION,
  PARTNER_ID,
  PAYMENT_STATUS,
} from '../../workflows/messages/messages';
import { hasGrpcCode } from './grpc-codes';

/** All attributes, by name and type; every program that prepares a server uses this list. */
export const SEARCH_ATTRIBUTES = [PARTNER_ID, CORRIDOR, PAYMENT_STATUS, NEEDS_ATTENTION];

/** `temporal.api.enums.v1.IndexedValueType`. */
const INDEXED_VALUE_TYPES = { KEYWORD: 2, BOOL: 5 } as const;

/**
 * Idempotent.
 * @throws Error that names each attribute that could not be registered, its type and why
 */
export async function registerSearchAttributes(
  { operatorService }: Pick<Connection, 'operatorService'>,
  namespace: string,
): Promise<void> {
  const failures: string[] = [];
  for (const { name, type } of SEARCH_ATTRIBUTES) {
    const searchAttributes = { [name]: INDEXED_VALUE_TYPES[type] };
    try {
      await operatorService.addSearchAttributes({ namespace, searchAttributes });
    } catch (error) {
      if (hasGrpcCode(error, 'UNAVAILABLE', 'NOT_FOUND')) throw error;
      if (hasGrpcCode(error, 'ALREADY_EXISTS')) continue;
      failures.push(`${name} (${type}): ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (failures.length === 0) return;
  throw new Error(
    `Not registered: ${failures.join('; ')}. Register them with the tools of your Temporal service.`,
  );
}
