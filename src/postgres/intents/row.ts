// An intent as a row, and the columns that every reader selects.
import { parseCorridor } from '../../corridors/names';
import { parseIntentId, parsePartnerId, type IntentId, type PartnerId } from '../../domain/ids';
import { parseIntentStatus } from '../../domain/intents/transitions';
import { EXPIRY_GRACE_MS } from '../../domain/limits';
import { usdCents } from '../../domain/money';
import type { PaymentIntent } from '../../domain/intents/payment-intent';
import { isBeingWritten } from './commit-under-way';
import {
  HAS_RESTARTED,
  IS_RESTORE_STOP_IN_FORCE,
  IS_TIMELINE_NEW,
  MUST_QUERY_PROVIDER,
} from '../payouts/stops';

export interface IntentRow {
  readonly intent_id: string;
  readonly partner_id: string;
  readonly status: string;
  readonly amount_usd_cents: number;
  readonly corridor: string;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly captured_at: Date | null;
}

/** The columns of {@link IntentRow} from a table or query named `i`, with the stored status. */
export const INTENT_COLUMNS = `i.intent_id, i.partner_id, i.status, i.amount_usd_cents, i.corridor,
       i.created_at, i.expires_at, i.captured_at`;

/**
 * The status that readers see. Past deadline and grace, a created intent reads `expired` even while
 * no worker is up to write it, unless a transaction in progress may still change the row: its
 * confirm may have been in time (decision 15). The clock is read before `xmax`, since a transaction
 * that was in time had locked the row before the deadline. An intent that needs attention may have
 * been paid, and so may any after Postgres has lost commits: they read `created` until the row
 * changes. So does each after a restart of Postgres, until the restore watch has compared it with
 * Temporal (decision 127).
 */
export const STATUS_AS_SEEN = `
      case when i.status = 'created'
            and i.expires_at + interval '${String(EXPIRY_GRACE_MS)} ms' < service_now()
      then case when ${isBeingWritten('i')} or i.attention_since is not null
                  or ${IS_RESTORE_STOP_IN_FORCE} or ${MUST_QUERY_PROVIDER}
                  or ${IS_TIMELINE_NEW} or ${HAS_RESTARTED}
                then 'created' else 'expired' end
      else i.status end as status`;

/** {@link INTENT_COLUMNS} with the status that readers see. */
export const INTENT_COLUMNS_AS_SEEN = `i.intent_id, i.partner_id, ${STATUS_AS_SEEN},
       i.amount_usd_cents, i.corridor, i.created_at, i.expires_at, i.captured_at`;

export function toPaymentIntent(row: IntentRow): PaymentIntent {
  return {
    intentId: knownIntentId(row.intent_id),
    partnerId: knownPartnerId(row.partner_id),
    status: parseIntentStatus(row.status),
    amountUsdCents: usdCents(row.amount_usd_cents),
    corridor: parseCorridor(row.corridor),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    capturedAt: row.captured_at,
  };
}

export function knownIntentId(text: string): IntentId {
  const intentId = parseIntentId(text);
  if (intentId === undefined) throw new Error(`a row holds a malformed intent id: ${text}`);
  return intentId;
}

export function knownPartnerId(text: string): PartnerId {
  const partnerId = parsePartnerId(text);
  if (partnerId === undefined) throw new Error(`a row holds a malformed partner id: ${text}`);
  return partnerId;
}
