// Writes a backlog of webhook events as an outage leaves one: pending, past due and spread evenly
// over endpoints. It uses SQL, because ten thousand payments are not what is measured.
import type { Queryable } from '../../../src/postgres/database';
import { aPartner } from '../../support/payments/partner';
import type { World } from '../world';

interface WebhookQueue {
  /**
   * Adds so many events for each endpoint in one transaction, so that a poller sees none or all.
   */
  fill(endpoints: readonly string[], events: number): Promise<void>;
  /** Marks all pending events as skipped. */
  empty(): Promise<void>;
  /** Whether no lease is held, which means that every sent event is recorded. */
  isIdle(): Promise<boolean>;
}

/** Keeps each statement within the product's statement timeout, on a busy machine too. */
const ROWS_AT_ONCE = 500;

/** Onboards one partner for each port. @returns their ids */
export async function onboardEndpoints(
  { database, seal }: World,
  ports: readonly number[],
): Promise<readonly string[]> {
  const names: string[] = [];
  for (const [nth, port] of ports.entries()) {
    const webhookUrl = `http://127.0.0.1:${String(port)}/webhooks`;
    const partner = await aPartner(
      { database, seal },
      { name: `bench-${String(nth)}`, webhookUrl },
    );
    names.push(partner.partnerId);
  }
  return names;
}

export function createWebhookQueue({ database }: World): WebhookQueue {
  let made = 0;
  const insert = (connection: Queryable, endpoints: readonly string[], count: number) => {
    const from = made + 1;
    made += count;
    return connection.query({
      text: `
        with intent as (
          insert into payment_intents as i (intent_id, partner_id, partner_user_id, amount_usd_cents, corridor, created_at, expires_at)
          select 'pi_' || lpad(n::text, 26, '0'), ($1::text[])[1 + n % $2], 'user', 1250, 'th_qrpay', service_now(), service_now()
            from generate_series($3::int, $4::int) as n
          returning i.*
        )
        insert into webhook_events (event_id, intent_id, partner_id, type, body, created_at, due_at, check_at)
        select replace(intent_id, 'pi_', 'evt_'), intent_id, partner_id, 'payment_intent.cancelled',
               webhook_body(intent.*::payment_intents, null, created_at), created_at,
               service_now() - interval '1 hour', service_now() - interval '1 hour'
          from intent`,
      values: [endpoints, endpoints.length, from, made],
    });
  };
  return {
    async fill(endpoints, events) {
      await database.inTransaction(async (connection) => {
        for (let left = endpoints.length * events; left > 0; left -= ROWS_AT_ONCE) {
          await insert(connection, endpoints, Math.min(left, ROWS_AT_ONCE));
        }
      });
    },
    async empty() {
      while ((await skipPending(database)) > 0);
    },
    async isIdle() {
      const { rows } = await database.query<{ readonly held: number }>({
        text: `select count(*) as held from webhook_events where leased_until > service_now()`,
      });
      return rows[0]?.held === 0;
    },
  };
}

/**
 * Skips one batch. It never waits for rows that the worker writes, which could deadlock.
 * @returns the number of pending events that are left
 */
async function skipPending(database: Queryable): Promise<number> {
  await database.query({
    text: `update webhook_events v set state = 'skipped', due_at = null, check_at = null
            where v.event_id in (select o.event_id from webhook_events o where o.state = 'pending'
                                  limit $1 for update of o skip locked)`,
    values: [ROWS_AT_ONCE],
  });
  const { rows } = await database.query<{ readonly pending: number }>({
    text: `select count(*) as pending from webhook_events where state = 'pending'`,
  });
  return rows[0]?.pending ?? 0;
}
