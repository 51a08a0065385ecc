// Webhook events and the place they are sent from, as rows (decisions 17 to 19).
import type { WebhookHolding } from '../ports/webhook-store';
import type { SecretSeal } from '../signing/sealed-secret';
import { knownEventId, knownPartnerId } from './intent-row';

export interface HeldRow {
  readonly event_id: string;
  readonly partner_id: string;
  readonly place: number;
  readonly body: string;
  readonly attempts: number;
  readonly attempts_replayed: number;
  readonly url: string;
  readonly secret_sealed: Buffer;
  /** Null once the rotation is over. */
  readonly previous_secret_sealed: Buffer | null;
}

/** What the secret of a partner's webhooks is sealed for. */
export function webhookSecretOwner(partnerId: string): string {
  return `webhook:${partnerId}`;
}

/** @param rows of one place. Undefined when there are none. */
export function toHolding(
  rows: readonly HeldRow[],
  lease: string,
  seal: SecretSeal,
): WebhookHolding | undefined {
  const [first] = rows;
  if (first === undefined) return undefined;
  const { partner_id: partnerId, place, url, secret_sealed, previous_secret_sealed } = first;
  const sealed = [secret_sealed, previous_secret_sealed].filter((bytes) => bytes !== null);
  return {
    lease,
    partnerId: knownPartnerId(partnerId),
    place,
    url,
    secrets: sealed.map((bytes) => seal.open(bytes, webhookSecretOwner(partnerId))),
    events: rows.map((row) => ({
      eventId: knownEventId(row.event_id),
      body: row.body,
      attempts: row.attempts,
      attemptsReplayed: row.attempts_replayed,
    })),
  };
}
