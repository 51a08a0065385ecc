// Partners receive a webhook for each event that happened, and for no other, under one id
// (decisions 17 and 18).
import type { EventFacts, Evidence, Received } from '../report/evidence';
import { problems, grouped, checkEach, type Finding } from '../report/finding';
import type { Payment } from './payments';

/**
 * Tolerance of two clock readings in milliseconds, at the beginning and at the end of an attempt.
 */
const GRAIN_MS = 2;
/** Statuses for which every partner with an endpoint gets a webhook. */
const NOTIFIED: readonly string[] = ['captured', 'failed', 'refunded'];

export function checkWebhooks(
  { inbox, rows }: Evidence,
  payments: readonly Payment[],
): readonly Finding[] {
  const notified = payments.flatMap((payment) =>
    payment.transitions
      .filter(({ to }) => NOTIFIED.includes(to))
      .map(({ to }) => ({ payment, type: `payment_intent.${to}` })),
  );
  return [
    checkEach(
      'each settled or failed intent has its webhook, with one id',
      notified,
      withoutWebhook,
    ),
    checkEach('a webhook is signed and reports what happened', inbox, untrueWebhook(rows)),
    checkEach(
      'every webhook event is delivered in the end',
      payments.flatMap(({ events }) => events),
      ({ eventId, state, attempts }) =>
        problems([state !== 'delivered', `${eventId} is ${state} after ${attempts} attempts`]),
    ),
    checkEach(
      'a webhook event has one attempt under way at a time',
      payments.flatMap(({ events }) => events),
      sentTwiceAtOnce,
    ),
    checkEach(
      'a webhook id always has the same body',
      grouped(inbox, ({ webhookId }) => webhookId),
      ([webhookId, copies]) => {
        const bodies = new Set(copies.map(({ body }) => body));
        return problems([bodies.size > 1, `${webhookId} came with ${bodies.size} bodies`]);
      },
    ),
  ];
}

function untrueWebhook(rows: Evidence['rows']) {
  return ({ event, partnerId, webhookId }: Received): readonly string[] => {
    if (event === null) return [`${partnerId} received ${webhookId}, with an invalid signature`];
    const row = rows.get(event.intentId);
    const hasHappened = row?.transitions.some(({ to }) => `payment_intent.${to}` === event.type);
    return problems(
      [
        hasHappened !== true,
        `${webhookId} reports ${event.type} of ${event.intentId}, which did not happen`,
      ],
      [row?.partnerId !== partnerId, `${webhookId} of ${event.intentId} was sent to ${partnerId}`],
      [
        event.type !== `payment_intent.${event.status}`,
        `${webhookId} is ${event.type} with ${event.status}`,
      ],
    );
  };
}

/** Only the worker that holds the lease may send an event (decision 19). */
function sentTwiceAtOnce({ eventId, made }: EventFacts): readonly string[] {
  return made.flatMap(({ fromMs }, index) => {
    const before = made[index - 1];
    if (before === undefined || before.toMs <= fromMs + GRAIN_MS) return [];
    return [
      `${eventId} was sent again ${before.toMs - fromMs} ms before the previous attempt had ended`,
    ];
  });
}

interface NotifiedStatus {
  readonly payment: Payment;
  readonly type: string;
}

function withoutWebhook({ payment, type }: NotifiedStatus): readonly string[] {
  const { intentId, received, events } = payment;
  const ids = new Set(
    received.filter(({ event }) => event?.type === type).map(({ webhookId }) => webhookId),
  );
  const event = events.find((event) => event.type === type);
  const [id] = ids;
  return problems(
    [
      ids.size === 0,
      `${intentId} had no ${type} (${event === undefined ? 'no event' : `${event.state} after ${event.attempts} attempts`})`,
    ],
    [ids.size > 1, `${intentId} had ${type} under ${ids.size} ids`],
    [
      ids.size === 1 && id !== event?.eventId,
      `${intentId} had ${type} under ${String(id)}, not ${String(event?.eventId)}`,
    ],
  );
}
