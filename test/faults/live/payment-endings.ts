// The final rows of a payment. Two payments that ended in the same way have equal rows.
import type { IntentId } from '../../../src/domain/ids';
import type { Database } from '../../../src/postgres/database';
import { OPEN_SENTENCES } from '../../support/payments/attention';

interface EndingInRows {
  readonly status: string;
  readonly attention: string | null;
  /** `from>to by actor`, sorted. */
  readonly transitions: readonly string[];
  /** `step cents from>to`, sorted. */
  readonly transfers: readonly string[];
  readonly payout: string | null;
  /** `type state`, sorted. */
  readonly events: readonly string[];
}

export async function endingInRows(database: Database, intentId: IntentId): Promise<EndingInRows> {
  const { rows } = await database.query<EndingInRows>({
    text: `
      select i.status, ${OPEN_SENTENCES} as attention,
             (select p.status from payouts p where p.intent_id = i.intent_id) as payout,
             array(select t.from_status || '>' || t.to_status || ' by ' || t.actor as step
                     from intent_transitions t
                    where t.intent_id = i.intent_id order by step) as transitions,
             array(select split_part(l.transfer_key, ':', 2) || ' ' || l.amount_usd_cents || ' '
                          || l.from_account || '>' || l.to_account as step
                     from ledger_transfers l
                    where l.intent_id = i.intent_id order by step) as transfers,
             array(select split_part(v.type, '.', 2) || ' ' || v.state as step
                     from webhook_events v where v.intent_id = i.intent_id order by step) as events
        from payment_intents i where i.intent_id = $1`,
    values: [intentId],
  });
  if (rows[0] === undefined) throw new Error(`no row for ${intentId}`);
  return rows[0];
}
