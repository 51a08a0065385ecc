// Records attempts of any number of holdings (decision 19): what they leave events and endpoints in, and what goes out next
// from the same places. One statement for all of them; its text is in webhook-finish-statement.ts.
import type {
  WebhookAttempt,
  WebhookHolding,
  WebhookNext,
  WebhookRecord,
} from '../ports/webhook-store';
import type { Queryable } from './database';
import { FINISH } from './webhook-finish-statement';
import { toDelivery, type EventMember } from './webhook-rows';

export interface Finishing {
  readonly holding: WebhookHolding;
  readonly record: WebhookRecord;
}

/** One row for each. */
interface FinishedRow {
  readonly nth: number;
  readonly disabled_reason: string | null;
  readonly events: readonly EventMember[];
}

/** No event may be in two of them. Answers one result for each, in order. */
export async function finishWebhooks(
  database: Queryable,
  finishings: readonly Finishing[],
): Promise<readonly WebhookNext[]> {
  const { rows } = await database.query<FinishedRow>({
    name: 'finish-webhooks',
    text: FINISH,
    values: [
      JSON.stringify(finishings.flatMap(toResults)),
      JSON.stringify(finishings.flatMap(toUnsent)),
      JSON.stringify(finishings.map(toHeld)),
      JSON.stringify(toBooks(finishings)),
    ],
  });
  const told = new Set<string>();
  return rows.map((row, nth) => {
    const partnerId = finishings[nth]?.holding.partnerId ?? '';
    // Several holdings may be of one endpoint: one of them is told that it was disabled, so that it is logged once.
    const disabledReason = told.has(partnerId) ? null : row.disabled_reason;
    told.add(partnerId);
    return { events: row.events.map(toDelivery), disabledReason };
  });
}

function toHeld({ holding: { lease, partnerId, mark }, record }: Finishing, nth: number) {
  const { wanted, isLast, inHand } = record;
  const in_hand = inHand?.map(({ eventId }) => eventId) ?? null;
  return { nth, lease, partner_id: partnerId, mark, wanted, is_last: isLast, in_hand };
}

function toUnsent({ holding: { lease }, record }: Finishing) {
  return record.unsent.map(({ eventId }) => ({ event_id: eventId, lease }));
}

function toResults({ holding: { lease }, record }: Finishing) {
  return record.attempts.map((attempt) => ({
    event_id: attempt.event.eventId,
    attempts_replayed: attempt.event.attemptsReplayed,
    lease,
    started_at: attempt.startedAt,
    duration_ms: attempt.durationMs,
    status: attempt.status,
    error: attempt.error,
    answer_excerpt: attempt.answerExcerpt,
    result: attempt.result,
    retry_in_seconds: attempt.retryInMs === null ? null : attempt.retryInMs / 1_000,
  }));
}

function toBooks(finishings: readonly Finishing[]) {
  const byPartner = new Map<string, WebhookAttempt[]>();
  for (const { holding, record } of finishings) {
    const made = byPartner.get(holding.partnerId) ?? [];
    made.push(...record.attempts);
    byPartner.set(holding.partnerId, made);
  }
  return [...byPartner]
    .filter(([, attempts]) => attempts.length > 0)
    .map(([partnerId, attempts]) => ({ partner_id: partnerId, ...bookOf(attempts) }));
}

const GONE = 410;

/** What attempts in a row say of their endpoint. No answer neither continues nor ends a row of 410. */
function bookOf(attempts: readonly WebhookAttempt[]) {
  const answered = attempts.filter(({ status }) => status !== null);
  const lastOther = answered.findLastIndex(({ status }) => status !== GONE);
  return {
    is_failing: attempts.at(-1)?.result !== 'delivered',
    is_taken: attempts.some(({ result }) => result === 'delivered'),
    is_answered_otherwise: lastOther >= 0,
    /** How many 410 it ended with. */
    gone: answered.length - 1 - lastOther,
  };
}
