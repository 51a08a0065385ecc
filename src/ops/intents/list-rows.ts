// `payctl intents list` (docs/operations.md): which payments there are, and which of them need people.
import { formatUsd } from '../../domain/money';
import type { IntentStatus } from '../../domain/intents/payment-intent';
import type { Queryable } from '../../postgres/database';
import {
  listAttention,
  listIntents,
  type ListedIntentRow,
} from '../../postgres/reports/intent-list';
import { toShown, type ShownIntent } from './story';
import { requirePartner } from '../partners/known-partner';
import { notedTableLines, roughly, toTheSecond } from '../layout';

export interface ListOptions {
  readonly attention?: boolean;
  readonly status?: IntentStatus;
  readonly partner?: string;
  readonly since?: Date;
  readonly limit: number;
}

/** What programs script against. */
export interface ListedIntent extends ShownIntent {
  readonly attention_reason: string | null;
  readonly attention_since: Date | null;
  readonly attention_seconds: number | null;
}

/** @throws Rejection when there is no such partner. */
export async function findIntents(
  database: Queryable,
  { attention, status, partner, since, limit }: ListOptions,
): Promise<readonly ListedIntent[]> {
  if (partner !== undefined) await requirePartner(database, partner);
  const filter = { status, partnerId: partner, since, limit };
  const list = attention === true ? listAttention : listIntents;
  return (await list(database, filter)).map(toListed);
}

function toListed(row: ListedIntentRow): ListedIntent {
  return {
    ...toShown(row),
    attention_reason: row.attention_reason,
    attention_since: row.attention_since,
    attention_seconds: row.attention_seconds,
  };
}

/** For people: below those that need attention stands for how long, and why. */
export function intentListLines(intents: readonly ListedIntent[]): readonly string[] {
  return notedTableLines(
    intents.map((intent) => ({
      row: {
        intent: intent.intent_id,
        created: toTheSecond(intent.created_at),
        status: intent.status,
        amount: formatUsd(intent.amount_usd_cents),
        corridor: intent.corridor,
        partner: intent.partner_id,
      },
      notes: attentionOf(intent),
    })),
  );
}

function attentionOf({
  attention_seconds: seconds,
  attention_reason: reason,
}: ListedIntent): readonly string[] {
  if (seconds === null || reason === null) return [];
  return [`needs people for ${roughly(seconds)}: ${reason}`];
}
