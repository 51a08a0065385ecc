// What a payment leaves behind, in all the places where it leaves something: the rows, the ledger, the provider, the
// webhook inbox. Two payments that ended alike have equal endings.
import type { IntentId } from '../../../src/domain/ids';
import type { Database } from '../../../src/postgres/database';

export interface PaymentEnding {
  /** How its run ended. */
  readonly run: string;
  /** What those were told who asked for something, in order. */
  readonly told: readonly string[];
  readonly status: string;
  readonly attention: string | null;
  /** `from>to by actor`, sorted. */
  readonly transitions: readonly string[];
  /** `step cents from>to`, sorted. */
  readonly transfers: readonly string[];
  readonly payout: string | null;
  /** How often the provider was sent the order. */
  readonly sent: number;
  /** `type state`, sorted. */
  readonly events: readonly string[];
  /** How often the partner was posted an event. */
  readonly posts: number;
}

export type EndingInRows = Omit<PaymentEnding, 'run' | 'told' | 'sent' | 'posts'>;

/** What the rows say of one intent. */
export async function endingInRows(database: Database, intentId: IntentId): Promise<EndingInRows> {
  const { rows } = await database.query<EndingInRows>({
    text: `
      select i.status, i.attention_reason as attention,
             (select p.status from payouts p where p.intent_id = i.intent_id) as payout,
             array(select t.from_status || '>' || t.to_status || ' by ' || t.actor as step
                     from intent_transitions t where t.intent_id = i.intent_id order by step) as transitions,
             array(select split_part(l.transfer_key, ':', 2) || ' ' || l.amount_usd_cents || ' '
                          || l.from_account || '>' || l.to_account as step
                     from ledger_transfers l where l.intent_id = i.intent_id order by step) as transfers,
             array(select split_part(v.type, '.', 2) || ' ' || v.state as step
                     from webhook_events v where v.intent_id = i.intent_id order by step) as events
        from payment_intents i where i.intent_id = $1`,
    values: [intentId],
  });
  if (rows[0] === undefined) throw new Error(`no row for ${intentId}`);
  return rows[0];
}

/** What must hold of the whole ledger, whatever happened: `entries` is zero, and both balances are one. */
export async function ledgerSums(database: Database) {
  const { rows } = await database.query<{
    readonly entries: number;
    readonly holding: number;
    readonly balance: number;
    readonly held: number;
  }>({
    text: `
      select coalesce(sum(amount_usd_cents), 0)::bigint as entries,
             coalesce(sum(amount_usd_cents) filter (where account_id = 'holding'), 0)::bigint as holding,
             coalesce(sum(amount_usd_cents) filter (where account_id = 'held'), 0)::bigint as held,
             (select balance_usd_cents from holding_balance) as balance
        from ledger_entries`,
  });
  return rows[0];
}
