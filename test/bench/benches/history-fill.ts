// Fills a database with captured payments: their intents and all rows that are stored for ever.
// Rows that are stored for minutes only (nonces, used tokens) are left out.
import { withClient } from '../../support/database';

interface Fill {
  readonly url: string;
  readonly partnerId: string;
  readonly intents: number;
}

/**
 * The id of stored payment `n`. It has the form of real ids and no order, like ids derived from
 * idempotency keys.
 */
const ID = `'pi_' || left(md5(n::text), 26)`;
const AT = `now() - interval '400 days' + n * interval '30 seconds'`;

/** Each statement fills one table for the payments $1 to $2 of partner $3. */
const FILLS: readonly string[] = [
  `insert into payment_intents (intent_id, partner_id, partner_user_id, amount_usd_cents, corridor, status,
                                created_at, expires_at, captured_at)
   select ${ID}, $3::text, 'user-' || n, 1250, 'th_qrpay', 'captured', at, at + interval '30 minutes',
          at + interval '1 minute'
     from (select n, ${AT} as at from generate_series($1::int, $2::int) as n) as numbered`,
  `insert into intent_transitions (intent_id, from_status, to_status, at, actor)
   select ${ID}, edge.from_status, edge.to_status, ${AT}, edge.actor
     from generate_series($1::int, $2::int) as n,
          (values ('created', 'authorized', $3::text), ('authorized', 'captured', 'system'))
            as edge (from_status, to_status, actor)`,
  `insert into ledger_transfers (transfer_key, intent_id, from_account, to_account, amount_usd_cents, created_at, actor)
   select ${ID} || leg.step, ${ID}, leg.from_account, leg.to_account, 1250, ${AT}, left($3::text, 0) || 'system'
     from generate_series($1::int, $2::int) as n,
          (values (':debit', 'holding', 'reserved'), (':capture', 'reserved', 'settlement:th_qrpay'))
            as leg (step, from_account, to_account)`,
  `insert into payouts (intent_id, status, attempts, first_attempt_at, last_sent_at, decided_at)
   select ${ID}, 'paid', 1, ${AT}, ${AT}, ${AT} from generate_series($1::int, $2::int) as n where $3::text <> ''`,
  `insert into webhook_events (event_id, intent_id, partner_id, type, body, created_at, state, attempts, finished_at)
   select 'evt_' || md5(n::text), ${ID}, $3::text, 'payment_intent.captured', repeat('x', 250), ${AT}, 'delivered', 1, ${AT}
     from generate_series($1::int, $2::int) as n`,
  `insert into webhook_attempts (event_id, attempt, started_at, duration_ms, status)
   select 'evt_' || md5(n::text), 1, ${AT}, 20, 204 from generate_series($1::int, $2::int) as n where $3::text <> ''`,
];
const AT_A_TIME = 100_000;

export async function fillHistory(
  { url, partnerId, intents }: Fill,
  printProgress: (text: string) => void,
) {
  await withClient(url, async (client) => {
    // Skips the check of six foreign keys per payment. The statements before have made those rows.
    await client.query('set session_replication_role = replica');
    for (let first = 1; first <= intents; first += AT_A_TIME) {
      const last = Math.min(intents, first + AT_A_TIME - 1);
      for (const text of FILLS) await client.query(text, [first, last, partnerId]);
      printProgress(`${last} payments stored`);
    }
    await client.query('vacuum analyze');
  });
}

/** @returns ids of stored payments, spread over the whole table */
export async function storedIds(url: string, count: number): Promise<readonly string[]> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ readonly intent_id: string }>(
      `select intent_id from payment_intents where status = 'captured' order by md5(intent_id) limit $1`,
      [count],
    );
    return rows.map(({ intent_id }) => intent_id);
  });
}
