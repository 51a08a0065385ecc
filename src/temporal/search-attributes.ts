// Registers what operations search payments by. Done at every worker start, since unregistered attributes hang a
// workflow silently on the time-skipping server (architecture, section 3, "Traps").
import type { Connection } from '@temporalio/client';
import {
  CORRIDOR,
  NEEDS_ATTENTION,
  PARTNER_ID,
  PAYMENT_STATUS,
} from '../../workflows/messages/messages';
import { hasGrpcCode } from './connection';

/** All of them, by name and type: whatever brings a server what it needs goes by this list. */
export const SEARCH_ATTRIBUTES = [PARTNER_ID, CORRIDOR, PAYMENT_STATUS, NEEDS_ATTENTION];

/** `temporal.api.enums.v1.IndexedValueType`. */
const INDEXED_VALUE_TYPES = { KEYWORD: 2, BOOL: 5 } as const;

/** Idempotent. */
export async function registerSearchAttributes(
  connection: Pick<Connection, 'operatorService'>,
  namespace: string,
): Promise<void> {
  const searchAttributes = Object.fromEntries(
    SEARCH_ATTRIBUTES.map(({ name, type }) => [name, INDEXED_VALUE_TYPES[type]]),
  );
  try {
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
  } catch (error) {
    if (hasGrpcCode(error, 'ALREADY_EXISTS')) return;
    throw error;
  }
}
