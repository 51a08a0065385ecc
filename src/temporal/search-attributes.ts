// Registers the attributes by which operators search payments. Every worker does it at its start,
// since on the time-skipping server a workflow hangs silently on an unregistered attribute.
import type { Connection } from '@temporalio/client';
import {
  CORRIDOR,
  NEEDS_ATTENTION,
  PARTNER_ID,
  PAYMENT_STATUS,
} from '../../workflows/messages/messages';
import { hasGrpcCode } from './connection';

/** All attributes, by name and type; every program that prepares a server uses this list. */
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
