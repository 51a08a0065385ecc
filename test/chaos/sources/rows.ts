// Source 1: the rows and the ledger of every intent in Postgres.
import type { Database } from '../../../src/postgres/database';
import type { IntentFacts, LedgerFacts } from '../report/evidence';
import { OPEN_SENTENCES } from '../../support/payments/attention';

/** Reads pages, so that each statement stays within the timeout of the pool. */
const PAGE_ROWS = 400;

/** @param forPeople a condition on the intent `i`: see {@link IntentFacts} */
export async function readRows(
  database: Database,
  forPeople: string,
): Promise<ReadonlyMap<string, IntentFacts>> {
  const facts = new Map<string, IntentFacts>();
  for (let after = ''; ;) {
    const { rows } = await database.query<IntentFacts>({
      text: factsWith(forPeople),
      values: [after, PAGE_ROWS],
    });
    for (const row of rows) facts.set(row.intentId, row);
    const last = rows.at(-1);
    if (last === undefined) return facts;
    after = last.intentId;
  }
}

const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;

const ATTEMPTS = `(
  select coalesce(json_agg(json_build_object(
           'fromMs', ${ms('a.started_at')}, 'toMs', ${ms('a.started_at')} + a.duration_ms)
           order by a.started_at), '[]')
    from webhook_attempts a where a.event_id = v.event_id)`;

const factsWith = (forPeople: string) => `
  select i.intent_id as "intentId", i.partner_id as "partnerId", i.partner_user_id as "userId",
         i.amount_usd_cents as cents, i.corridor, i.status, ${OPEN_SENTENCES} as attention,
         ${forPeople} as "isForPeople",
         ${ms('i.created_at')} as "createdAtMs", ${ms('i.expires_at')} as "expiresAtMs",
         ${ms('i.captured_at')} as "capturedAtMs",
         coalesce((select json_agg(json_build_object(
                     'from', t.from_status, 'to', t.to_status, 'actor', t.actor,
                     'atMs', ${ms('t.at')}) order by t.at)
                     from intent_transitions t
                    where t.intent_id = i.intent_id), '[]') as transitions,
         coalesce((select json_agg(json_build_object(
                     'step', split_part(l.transfer_key, ':', 2),
                     'from', l.from_account, 'to', l.to_account,
                     'cents', l.amount_usd_cents) order by l.created_at)
                     from ledger_transfers l where l.intent_id = i.intent_id), '[]') as transfers,
         (select json_build_object('status', p.status,
                                   'firstAttemptAtMs', ${ms('p.first_attempt_at')})
            from payouts p where p.intent_id = i.intent_id) as payout,
         coalesce((select json_agg(json_build_object(
                     'eventId', v.event_id, 'type', v.type, 'state', v.state,
                     'attempts', v.attempts, 'made', ${ATTEMPTS}))
                     from webhook_events v where v.intent_id = i.intent_id), '[]') as events,
         coalesce((select json_agg(json_build_object(
                     'jtiHash', encode(u.jti_hash, 'hex'), 'isAnswered', u.answered_by is not null))
                     from used_tokens u where u.intent_id = i.intent_id), '[]') as tokens
    from payment_intents i
   where i.intent_id > $1
   order by i.intent_id
   limit $2`;

type Balances = Omit<LedgerFacts, 'checks'>;

export async function readBalances(database: Database): Promise<Balances> {
  const { rows } = await database.query<{ account_id: string; cents: number }>({
    text: `select account_id, sum(amount_usd_cents)::bigint as cents
             from ledger_entries group by account_id`,
  });
  const slots = await database.query<{ cents: number }>({
    text: 'select balance_usd_cents as cents from holding_balance',
  });
  return {
    balances: new Map(rows.map(({ account_id, cents }) => [account_id, cents])),
    slotsCents: slots.rows[0]?.cents ?? Number.NaN,
  };
}
