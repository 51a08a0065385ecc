// Port webhook-store over Postgres.
import type { SecretSeal } from '../signing/sealed-secret';
import { parseEventId } from '../domain/ids';
import type { WebhookStore } from '../ports/webhook-store';
import type { Queryable } from './database';

interface OwedRow {
  readonly event_id: string;
  readonly partner_id: string;
  readonly body: string;
  readonly attempts: number;
  readonly url: string;
  readonly secret_sealed: Buffer;
}

/** Past its time by this, somebody makes sure that the next attempt is coming. */
const ATTEMPT_EXPECTED_WITHIN_SECONDS = 60;

/** What the secret of a partner's webhooks is sealed for. */
export function webhookSecretOwner(partnerId: string): string {
  return `webhook:${partnerId}`;
}

export function createWebhookStore(database: Queryable, seal: SecretSeal): WebhookStore {
  return {
    async findOwed(eventId) {
      const { rows } = await database.query<OwedRow>({
        name: 'find-owed-webhook',
        text: `select v.event_id, v.partner_id, v.body, v.attempts, e.url, e.secret_sealed
                 from webhook_events v
                 join webhook_endpoints e on e.partner_id = v.partner_id and e.disabled_at is null
                where v.event_id = $1 and v.state = 'owed'`,
        values: [eventId],
      });
      const row = rows[0];
      const known = parseEventId(row?.event_id ?? null);
      if (row === undefined || known === null) return undefined;
      const secrets = [seal.open(row.secret_sealed, webhookSecretOwner(row.partner_id))];
      return { eventId: known, url: row.url, secrets, body: row.body, attempts: row.attempts };
    },

    async recordAttempt(attempt) {
      await database.query({
        name: 'record-webhook-attempt',
        text: RECORD_ATTEMPT,
        values: [
          attempt.eventId,
          attempt.startedAt,
          attempt.durationMs,
          attempt.status,
          attempt.error,
          attempt.answerExcerpt,
          attempt.result,
          attempt.retryInMs,
        ],
      });
    },
  };
}

/**
 * What was delivered stays delivered, and what was given up is not taken up again by an attempt that was frozen on its way;
 * only a delivery that did happen after all is told as one.
 */
const RECORD_ATTEMPT = `
  with event as (
    update webhook_events
       set attempts = attempts + 1,
           state = case when state = 'owed' and $7 <> 'retry' then $7
                        when $7 = 'delivered' then $7 else state end,
           finished_at = case when $7 = 'retry' then finished_at
                              else coalesce(finished_at, service_now()) end,
           check_at = case when $7 = 'retry' and state = 'owed'
                           then service_now() + make_interval(secs => $8::float8 / 1000)
                                + interval '${String(ATTEMPT_EXPECTED_WITHIN_SECONDS)} s' end
     where event_id = $1
    returning event_id, attempts
  )
  insert into webhook_attempts (event_id, attempt, started_at, duration_ms, status, error, answer_excerpt)
  select event_id, attempts, $2, $3, $4, $5, $6 from event`;
