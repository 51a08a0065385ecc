// The rows of one payment for operators, read in one snapshot, so that status, money and attempts
// are consistent. No secret, token, scanned code or partner_user_id is selected, nor a partner's
// answer.
import type { Attention } from '../../domain/intents/attention';
import type { IntentId } from '../../domain/ids';
import type { Cost, LocalAmount } from '../../domain/money';
import { readRows, type Database } from '../database';
import { INTENT_COLUMNS, type IntentRow } from '../intents/row';
import { inSnapshot } from '../ledger/snapshot';
import { ARE_PAYOUTS_STOPPED } from '../payouts/stops';

export interface StoryRows {
  readonly intent: StoryIntentRow;
  /** In order of time. */
  readonly transitions: readonly TransitionRow[];
  readonly entries: readonly EntryRow[];
  /** Null before the first attempt. */
  readonly payout: PayoutRow | null;
  readonly events: readonly EventRow[];
  readonly attempts: readonly AttemptRow[];
  readonly attention: readonly AttentionRow[];
}

export interface StoryIntentRow extends IntentRow {
  readonly idempotency_key: string | null;
  readonly attention_since: Date | null;
  /** When what belongs to it was deleted (decision 141). */
  readonly pruned_at: Date | null;
  /** Whether all payouts are stopped (decision 127). */
  readonly are_payouts_stopped: boolean;
  /** The time by the database's clock, which decides deadlines. */
  readonly now: Date;
}

export interface TransitionRow {
  readonly at: Date;
  readonly from: string;
  readonly to: string;
  readonly actor: string;
  readonly reason: string | null;
}

export interface EntryRow {
  readonly transfer_key: string;
  readonly account_id: string;
  /** Negative where money leaves the account. */
  readonly amount_usd_cents: number;
  readonly at: Date;
}

export interface PayoutRow {
  readonly status: string;
  readonly attempts: number;
  readonly first_attempt_at: Date;
  /** Null while nothing was sent. */
  readonly last_sent_at: Date | null;
  /** When the provider first accepted the payout before its payment ended. */
  readonly accepted_at: Date | null;
  readonly decided_at: Date | null;
  /** The provider's own id of the payment; null until it is known. */
  readonly reference: string | null;
  /** An id that an operator has named, which queries use until the provider names one. */
  readonly proposed_reference: string | null;
  readonly proposed_by: string | null;
  /** What the payee gets, in minor units; null while the provider has not said. */
  readonly local: LocalAmount | null;
  /** Why the provider declined or refused. */
  readonly failure_code: string | null;
  /** The account at the provider that the first request went to. */
  readonly account: string | null;
  /** The id by which the payee's bank knows it. */
  readonly bank_reference: string | null;
  /** What it took from our balance there; null while the provider has not said. */
  readonly cost: Cost | null;
}

export interface EventRow {
  readonly event_id: string;
  readonly type: string;
  readonly state: string;
  readonly created_at: Date;
  readonly finished_at: Date | null;
  /** When the next attempt may be sent; null when the event is not pending. */
  readonly due_at: Date | null;
  readonly attempt_count: number;
  readonly is_endpoint_disabled: boolean;
}

export interface AttemptRow {
  readonly event_id: string;
  readonly attempt: number;
  readonly started_at: Date;
  readonly duration_ms: number;
  /** Null when no answer came; `error` says why. */
  readonly status: number | null;
  readonly error: string | null;
}

export interface AttentionRow extends Attention {
  readonly since: Date;
  /** Null while an operator must act. */
  readonly ended_at: Date | null;
  /** The new status, the name of an operator, `resume` or a reconciliation. */
  readonly ended_by: string | null;
  /** What an operator has done about it. */
  readonly ended_reason: string | null;
}

/** Undefined when there is no such intent. */
export function readIntentStory(
  database: Database,
  intentId: IntentId,
): Promise<StoryRows | undefined> {
  return inSnapshot(database, async (connection) => {
    const read = <Row extends object>(text: string) =>
      readRows<Row>(connection, { text, values: [intentId] });
    const [intent] = await read<StoryIntentRow>(INTENT);
    if (intent === undefined) return undefined;
    const [payout = null] = await read<PayoutRow>(PAYOUT);
    return {
      intent,
      payout,
      transitions: await read<TransitionRow>(TRANSITIONS),
      entries: await read<EntryRow>(ENTRIES),
      events: await read<EventRow>(EVENTS),
      attempts: await read<AttemptRow>(ATTEMPTS),
      attention: await read<AttentionRow>(ATTENTION),
    };
  });
}

const INTENT = `
  select ${INTENT_COLUMNS}, i.idempotency_key, i.attention_since, i.pruned_at,
         service_now() as now, ${ARE_PAYOUTS_STOPPED} as are_payouts_stopped
    from payment_intents i
   where i.intent_id = $1`;

const PAYOUT = `
  select status, attempts, first_attempt_at, last_sent_at, accepted_at, decided_at, reference,
         proposed_reference, proposed_by,
         case when local_minor is not null
              then json_build_object('currency', local_currency, 'minor', local_minor) end as local,
         coalesce(failure_code, refused_as) as failure_code, account, bank_reference,
         case when cost_debited is not null
              then json_build_object('currency', cost_currency, 'debited', cost_debited::text,
                                     'fee', cost_fee::text, 'rate', cost_rate::text) end as cost
    from payouts where intent_id = $1`;

/**
 * Two transitions at the same instant are sorted by the order in which an intent leaves these
 * statuses.
 */
const TRANSITIONS = `
  select at, from_status as "from", to_status as "to", actor, reason
    from intent_transitions
   where intent_id = $1
   order by at, array_position(array['created', 'authorized', 'captured'], from_status)`;

const ENTRIES = `
  select transfer_key, account_id, amount_usd_cents, created_at as at
    from ledger_entries
   where intent_id = $1
   order by created_at, transfer_key, amount_usd_cents`;

const EVENTS = `
  select v.event_id, v.type, v.state, v.created_at, v.finished_at, v.due_at,
         v.attempts as attempt_count, e.disabled_at is not null as is_endpoint_disabled
    from webhook_events v
    left join webhook_endpoints e on e.partner_id = v.partner_id
   where v.intent_id = $1
   order by v.created_at, v.event_id`;

const ATTEMPTS = `
  select a.event_id, a.attempt, a.started_at, a.duration_ms, a.status, a.error
    from webhook_attempts a
    join webhook_events v on v.event_id = a.event_id
   where v.intent_id = $1
   order by a.event_id, a.attempt`;

const ATTENTION = `
  select kind, since, sentence, ended_at, ended_by, ended_reason
    from attention where intent_id = $1 order by since, kind`;
