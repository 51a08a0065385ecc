// `payctl webhooks disable` (decision 19): sends a partner nothing more, and skips its pending
// events.
import type { Database, Queryable } from '../../postgres/database';
import { recordAction } from '../audit-trail';
import { command, sentenceLines } from '../layout';
import {
  AS,
  reasonedOperatorOf,
  STORED,
  type ReasonedOperator,
  type ReasonedOptions,
} from '../operator';
import { changeDirectory } from '../partners/directory-change';
import { requirePartner } from '../partners/known-partner';
import { Rejection } from '../rejection';
import { required, verb } from '../verb';
import {
  disabledSentence,
  endpointListLines,
  findEndpoint,
  noEndpoint,
  type ShownEndpoint,
} from './endpoint-view';

export const disable = verb('disable <partner>', {
  does: 'Send a partner no more webhooks until "payctl webhooks set". Its pending events are skipped; "payctl webhooks replay" sends them later.',
  options: [required('--reason <text>', `why, for the operator who enables it; ${STORED}`), AS],
  work(partnerId: string, options: ReasonedOptions) {
    const operator = reasonedOperatorOf(options);
    return ({ database }) => disableWebhook(database, partnerId, operator);
  },
  lines: (disabled) => [
    ...endpointListLines([disabled]),
    ...sentenceLines(disabledSentences(disabled)),
  ],
});

function disabledSentences(disabled: DisabledEndpoint): readonly string[] {
  const { partner_id: partner, skipped_now: skipped } = disabled;
  return [
    `Nothing more is sent to ${partner}, except attempts that are already under way. ${skippedNow(skipped)}`,
    'To enable the endpoint, and to send what the partner did not get:',
    command(`payctl webhooks set ${partner}`),
    command(`payctl webhooks replay --partner ${partner}`),
  ];
}

function skippedNow(events: number): string {
  if (events === 0) return 'No event was pending.';
  return events === 1
    ? '1 event was pending, and is now skipped.'
    : `${events} events were pending, and are now skipped.`;
}

interface DisabledEndpoint extends ShownEndpoint {
  /** How many pending events this call has skipped. */
  readonly skipped_now: number;
}

/** @throws Rejection if the partner has no endpoint, or it is already disabled */
export function disableWebhook(
  database: Database,
  partnerId: string,
  operator: ReasonedOperator,
): Promise<DisabledEndpoint> {
  return changeDirectory(database, async (connection) => {
    await requirePartner(connection, partnerId);
    await disableEndpoint(connection, partnerId, operator.reason);
    const skipped = await skipPendingEvents(connection, partnerId);
    await recordAction(connection, {
      ...operator,
      action: 'webhooks disable',
      partnerId,
      events: skipped,
    });
    return { ...(await findEndpoint(connection, partnerId)), skipped_now: skipped };
  });
}

async function disableEndpoint(
  connection: Queryable,
  partnerId: string,
  reason: string,
): Promise<void> {
  const { rows } = await connection.query({
    text: `update webhook_endpoints set disabled_at = service_now(), disabled_reason = $2
            where partner_id = $1 and disabled_at is null
           returning partner_id`,
    values: [partnerId, reason],
  });
  if (rows.length > 0) return;
  const { disabled_at, disabled_reason } = await findEndpoint(connection, partnerId);
  if (disabled_at === null) throw noEndpoint(partnerId);
  throw new Rejection(
    `${disabledSentence(partnerId, disabled_at, disabled_reason)} Nothing was changed.`,
  );
}

/**
 * About 0.1 s per statement; one for a hundred thousand events would exceed the statement timeout.
 */
const EVENTS_PER_STATEMENT = 2_000;

/**
 * An attempt that is under way is still recorded, and counts if the endpoint accepts it.
 * @returns how many events were skipped
 */
async function skipPendingEvents(connection: Queryable, partnerId: string): Promise<number> {
  let skipped = 0;
  for (;;) {
    const { rows } = await connection.query({
      text: `update webhook_events v
                set state = 'skipped', due_at = null, check_at = null
               from (select event_id from webhook_events
                      where partner_id = $1 and state = 'pending'
                      order by due_at limit $2
                        for update) as pending
              where v.event_id = pending.event_id
             returning v.event_id`,
      values: [partnerId, EVENTS_PER_STATEMENT],
    });
    skipped += rows.length;
    if (rows.length < EVENTS_PER_STATEMENT) return skipped;
  }
}
