// The partner is told what happened, all of it and nothing else, under one id (decisions 17 and 18).
import type { EventFacts, Evidence } from '../report/evidence';
import { faults, grouped, judgeEach, type Finding } from '../report/finding';
import type { Payment } from './payments';

/** What every partner with an endpoint is told (decision 17). */
/** Clocks of one machine, read in milliseconds at the beginning and at the end. */
const GRAIN_MS = 2;
const TOLD: readonly string[] = ['captured', 'failed', 'refunded'];

export function checkWebhooks(
  { inbox, rows }: Evidence,
  payments: readonly Payment[],
): readonly Finding[] {
  const ends = payments.flatMap((payment) =>
    payment.transitions
      .filter(({ to }) => TOLD.includes(to))
      .map(({ to }) => ({ payment, type: `payment_intent.${to}` })),
  );
  return [
    judgeEach('each settled or failed intent has its webhook, with one id', ends, untold),
    judgeEach('a webhook is signed and tells what happened', inbox, (received) => {
      const { event, partnerId, webhookId } = received;
      if (event === null)
        return [`${partnerId} received ${webhookId}, whose signature does not hold`];
      const row = rows.get(event.intentId);
      const hasHappened = row?.transitions.some(({ to }) => `payment_intent.${to}` === event.type);
      return faults(
        [
          hasHappened !== true,
          `${webhookId} tells ${event.type} of ${event.intentId}, which did not happen`,
        ],
        [row?.partnerId !== partnerId, `${webhookId} of ${event.intentId} came to ${partnerId}`],
        [
          event.type !== `payment_intent.${event.status}`,
          `${webhookId} is ${event.type} with ${event.status}`,
        ],
      );
    }),
    judgeEach(
      'every webhook event is delivered in the end',
      payments.flatMap(({ events }) => events),
      ({ eventId, state, attempts }) =>
        faults([state !== 'delivered', `${eventId} is ${state} after ${attempts} attempts`]),
    ),
    judgeEach(
      'of one webhook one attempt is under way at a time',
      payments.flatMap(({ events }) => events),
      sentTwiceAtOnce,
    ),
    judgeEach(
      'one webhook id is one body',
      grouped(inbox, ({ webhookId }) => webhookId),
      ([webhookId, copies]) => {
        const bodies = new Set(copies.map(({ body }) => body));
        return faults([bodies.size > 1, `${webhookId} came with ${bodies.size} bodies`]);
      },
    ),
  ];
}

/** Whoever sends it holds it, and nobody else takes it before his lease is over (decision 19). */
function sentTwiceAtOnce({ eventId, made }: EventFacts): readonly string[] {
  return made.flatMap(({ fromMs }, index) => {
    const before = made[index - 1];
    if (before === undefined || before.toMs <= fromMs + GRAIN_MS) return [];
    return [
      `${eventId} was sent again ${before.toMs - fromMs} ms before the attempt before had ended`,
    ];
  });
}

interface End {
  readonly payment: Payment;
  readonly type: string;
}

function untold({ payment, type }: End): readonly string[] {
  const { intentId, received, events } = payment;
  const ids = new Set(
    received.filter(({ event }) => event?.type === type).map(({ webhookId }) => webhookId),
  );
  const owed = events.find((event) => event.type === type);
  const [id] = ids;
  return faults(
    [
      ids.size === 0,
      `${intentId} had no ${type} (${owed === undefined ? 'no event' : `${owed.state} after ${owed.attempts} attempts`})`,
    ],
    [ids.size > 1, `${intentId} had ${type} under ${ids.size} ids`],
    [
      ids.size === 1 && id !== owed?.eventId,
      `${intentId} had ${type} under ${String(id)}, not ${String(owed?.eventId)}`,
    ],
  );
}
