// `payctl intents list` (docs/operations.md): which payments there are, and which of them need people.
import type { IntentStatus } from '../domain/payment-intent';
import type { Queryable } from '../postgres/database';
import { listAttention, listIntents, type ListedIntentRow } from '../postgres/intent-list';
import { toShown, type ShownIntent } from './intent-story';
import { dollars } from './print';
import { Refusal } from './refusal';

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

/** @throws Refusal when there is no such partner. */
export async function findIntents(
  database: Queryable,
  { attention, status, partner, since, limit }: ListOptions,
): Promise<readonly ListedIntent[]> {
  if (partner !== undefined) await refuseUnknownPartner(database, partner);
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

/** A row of the table for people: those that need attention say for how long, and the table of such says why. */
export function toListRow(intent: ListedIntent, withReason: boolean): object {
  const seconds = intent.attention_seconds;
  return {
    intent: intent.intent_id,
    created: intent.created_at,
    status: intent.status,
    amount: dollars(intent.amount_usd_cents),
    corridor: intent.corridor,
    partner: intent.partner_id,
    attention: seconds === null ? null : `for ${age(seconds)}`,
    ...(withReason && { reason: intent.attention_reason }),
  };
}

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const;

function age(seconds: number): string {
  const unit = UNITS.find(([, length]) => seconds >= 2 * length);
  return unit === undefined ? `${seconds} s` : `${Math.floor(seconds / unit[1])} ${unit[0]}`;
}

async function refuseUnknownPartner(database: Queryable, partnerId: string): Promise<void> {
  const { rows } = await database.query({
    text: `select from partners where partner_id = $1`,
    values: [partnerId],
  });
  if (rows.length === 0) throw new Refusal(`There is no partner ${partnerId}.`);
}
