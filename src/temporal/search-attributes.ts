// Registers what operations search payments by. Done at every worker start, since unregistered attributes hang a
// workflow silently on the time-skipping server (architecture, section 3, "Traps").
import type { ConnectionLike } from '@temporalio/client';
import { hasGrpcCode } from './connection';

const KEYWORD = 2;
const BOOL = 5;
const ALREADY_EXISTS = 6;

const SEARCH_ATTRIBUTES = {
  PartnerId: KEYWORD,
  Corridor: KEYWORD,
  PaymentStatus: KEYWORD,
  NeedsAttention: BOOL,
} as const;

/** Idempotent. */
export async function registerSearchAttributes(
  connection: ConnectionLike & { readonly operatorService: Registrar },
  namespace: string,
): Promise<void> {
  try {
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: SEARCH_ATTRIBUTES,
    });
  } catch (error) {
    if (hasGrpcCode(error, ALREADY_EXISTS)) return;
    throw error;
  }
}

interface Registrar {
  addSearchAttributes(request: {
    namespace: string;
    searchAttributes: typeof SEARCH_ATTRIBUTES;
  }): Promise<unknown>;
}
