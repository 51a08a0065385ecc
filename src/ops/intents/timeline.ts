// Everything that happened to a payment, in one list by time.
import { formatUsd } from '../../domain/money';
import { shortType } from '../webhooks/endpoint-view';
import type { IntentStory, StoryEvent } from './story';

interface TimelineRow {
  readonly at: Date;
  readonly what: string;
}

/** What happened at the same instant stays in the order of the steps of a payment. */
export function timelineOf(story: IntentStory): readonly TimelineRow[] {
  const rows = [
    { at: story.created_at, what: 'created' },
    ...story.transitions.map(({ at, to, actor, reason }) => ({
      at,
      what: `${to} by ${actor}${reason === null ? '' : `: ${reason}`}`,
    })),
    ...transfersOf(story),
    ...payoutOf(story),
    ...story.webhooks.flatMap(attemptsOf),
    ...attentionOf(story),
  ];
  return rows.sort((one, other) => one.at.getTime() - other.at.getTime());
}

/** Both entries of a transfer in one line. */
function transfersOf({ intent_id: id, ledger_entries: entries }: IntentStory): TimelineRow[] {
  return entries
    .filter(({ amount_usd_cents: cents }) => cents > 0)
    .map(({ at, transfer_key: key, account_id: to, amount_usd_cents: cents }) => {
      const from = entries.find((one) => one.transfer_key === key && one.amount_usd_cents < 0);
      const step = key.replace(`${id}:`, '');
      return { at, what: `${step}: ${formatUsd(cents)}, ${from?.account_id ?? '?'} to ${to}` };
    });
}

function payoutOf({ payout }: IntentStory): TimelineRow[] {
  if (payout === null) return [];
  const { first_attempt_at, last_sent_at, accepted_at, decided_at, status } = payout;
  return [
    { at: first_attempt_at, what: 'payout: first attempt' },
    ...(last_sent_at === null ? [] : [{ at: last_sent_at, what: 'payout: last sent' }]),
    ...(accepted_at === null ? [] : [{ at: accepted_at, what: 'payout: accepted by provider' }]),
    ...(decided_at === null ? [] : [{ at: decided_at, what: `payout: ${status}` }]),
  ];
}

function attemptsOf({ type, attempts }: StoryEvent): TimelineRow[] {
  return attempts.map(({ started_at: at, attempt, status, error, duration_ms: ms }) => {
    const answer = status === null ? error : `${status} in ${ms} ms`;
    return { at, what: `webhook ${shortType(type)}, attempt ${attempt}: ${answer ?? 'no answer'}` };
  });
}

function attentionOf(story: IntentStory): TimelineRow[] {
  return story.attention.flatMap(({ since, kind, sentence, ...end }) => {
    const raised = { at: since, what: `needs attention, ${kind}: ${sentence}` };
    if (end.ended_at === null || end.ended_by === null) return [raised];
    const why = end.ended_reason === null ? '' : `: ${end.ended_reason}`;
    return [raised, { at: end.ended_at, what: `${kind} ended by ${end.ended_by}${why}` }];
  });
}
