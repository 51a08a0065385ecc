// The story of a payment: the intent as the API shows it, and everything that happened to it.
// Programs rely on this JSON shape (docs/operations.md, "JSON for programs").
import { parseIntentId, type IntentId } from '../../domain/ids';
import { toPaymentStart, type PaymentStart } from '../../domain/intents/payment-start';
import type { Database } from '../../postgres/database';
import { toPaymentIntent, type IntentRow } from '../../postgres/intents/row';
import {
  readIntentStory,
  type AttemptRow,
  type AttentionRow,
  type EntryRow,
  type EventRow,
  type PayoutRow,
  type StoryIntentRow,
  type StoryRows,
  type TransitionRow,
} from '../../postgres/reports/intent-story';
import { waitingFor } from './waiting';
import { Rejection } from '../rejection';

export interface IntentStory extends ShownIntent, Omit<StoryIntentRow, keyof IntentRow | 'now'> {
  readonly waiting_for: string;
  readonly transitions: readonly TransitionRow[];
  readonly ledger_entries: readonly EntryRow[];
  readonly payout: PayoutRow | null;
  readonly webhooks: readonly StoryEvent[];
  /** Also what has ended. */
  readonly attention: readonly AttentionRow[];
}

/**
 * The members of the API (protocol 2.1), then those for operators only. The status is as stored:
 * after the deadline the API says `expired` shortly before the row does (decision 15).
 */
export interface ShownIntent extends Omit<IntentRow, 'captured_at'> {
  /** Present only if the status is `captured`, as in the API. */
  readonly captured_at?: Date;
}

export interface StoryEvent extends Pick<
  EventRow,
  'event_id' | 'type' | 'state' | 'created_at' | 'finished_at'
> {
  /** Null unless the event is pending, and while the endpoint is disabled. */
  readonly next_attempt_at: Date | null;
  readonly attempts: readonly Omit<AttemptRow, 'event_id'>[];
}

/** @throws Rejection if the text is no intent id, or there is no such intent */
export async function findIntentStory(database: Database, text: string): Promise<IntentStory> {
  return toStory(await findStoryRows(database, text));
}

/** @throws Rejection if the text is no intent id, or there is no such intent */
export async function findStoryRows(database: Database, text: string): Promise<StoryRows> {
  const intentId = requireIntentId(text);
  const rows = await readIntentStory(database, intentId);
  if (rows === undefined) throw new Rejection(`There is no intent ${intentId}.`);
  return rows;
}

/** @throws Rejection if the text is no intent id */
export function requireIntentId(text: string): IntentId {
  const intentId = parseIntentId(text);
  if (intentId !== undefined) return intentId;
  throw new Rejection(
    `"${text}" is not an intent id. Expected pi_ and 26 characters of 0-9 and a-z, without i, l, o and u.`,
  );
}

export function openAttention({ attention }: IntentStory): readonly AttentionRow[] {
  return attention.filter(({ ended_at: endedAt }) => endedAt === null);
}

/** The input of the payment's workflow. */
export function paymentOf(story: IntentStory): PaymentStart {
  return toPaymentStart(toPaymentIntent({ ...story, captured_at: story.captured_at ?? null }));
}

export function toStory(rows: StoryRows): IntentStory {
  const { intent, transitions, entries, payout } = rows;
  return {
    ...toShown(intent),
    idempotency_key: intent.idempotency_key,
    attention_since: intent.attention_since,
    pruned_at: intent.pruned_at,
    waiting_for: waitingFor(rows, null),
    are_payouts_stopped: intent.are_payouts_stopped,
    transitions,
    ledger_entries: entries,
    payout,
    webhooks: rows.events.map((event) => toEvent(event, rows.attempts)),
    attention: rows.attention,
  };
}

export function toShown(row: IntentRow): ShownIntent {
  return {
    intent_id: row.intent_id,
    status: row.status,
    amount_usd_cents: row.amount_usd_cents,
    corridor: row.corridor,
    created_at: row.created_at,
    ...(row.status === 'captured' && row.captured_at !== null && { captured_at: row.captured_at }),
    partner_id: row.partner_id,
    expires_at: row.expires_at,
  };
}

function toEvent(event: EventRow, attempts: readonly AttemptRow[]): StoryEvent {
  return {
    event_id: event.event_id,
    type: event.type,
    state: event.state,
    created_at: event.created_at,
    finished_at: event.finished_at,
    next_attempt_at: event.is_endpoint_disabled ? null : event.due_at,
    attempts: attempts
      .filter(({ event_id: id }) => id === event.event_id)
      .map(({ event_id: _id, ...attempt }) => attempt),
  };
}
