// `payctl webhooks disable` (decision 19): sends a partner nothing more, and skips its pending
// events.
import { decide } from '../../postgres/approvals/decide';
import { readOne, type Database, type Queryable } from '../../postgres/database';
import { command, sentenceLines } from '../layout';
import {
  AS,
  reasonedOperatorOf,
  STORED,
  type ReasonedOperator,
  type ReasonedOptions,
} from '../operator';
import { repeatDeadlocked } from '../partners/directory-change';
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
  return repeatDeadlocked(database, async (connection) => {
    await requirePartner(connection, partnerId);
    const actionId = await disableEndpoint(connection, partnerId, operator);
    const skipped = await skipPendingEvents(connection, partnerId, actionId);
    return { ...(await findEndpoint(connection, partnerId)), skipped_now: skipped };
  });
}

/** @returns the id of its row in the audit trail */
async function disableEndpoint(
  connection: Queryable,
  partnerId: string,
  { actor, reason }: ReasonedOperator,
): Promise<number> {
  const given = { partner_id: partnerId, reason, events: 0 };
  const decision = { verb: 'webhooks disable', given, actor };
  const done = await decide<{ readonly action_id: number }>(connection, decision);
  if (done !== null) return done.effect.action_id;
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

/** @returns how many events were skipped */
async function skipPendingEvents(
  connection: Queryable,
  partnerId: string,
  actionId: number,
): Promise<number> {
  for (let all = 0; ;) {
    const { skipped } = await readOne<{ readonly skipped: number }>(connection, {
      text: 'select skip_pending_events($1, $2, $3) as skipped',
      values: [partnerId, EVENTS_PER_STATEMENT, actionId],
    });
    all += skipped;
    if (skipped < EVENTS_PER_STATEMENT) return all;
  }
}
