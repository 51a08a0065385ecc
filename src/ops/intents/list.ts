// `payctl intents list`: payments by status, partner and time, and those that need attention.
import { CORRIDORS } from '../../corridors/names';
import { AMOUNT_MAX_USD_CENTS } from '../../domain/limits';
import { INTENT_STATUSES } from '../../domain/intents/payment-intent';
import { formatUsd } from '../../domain/money';
import type { Queryable } from '../../postgres/database';
import {
  findListed,
  listAttention,
  listIntents,
  type IntentFilter,
  type ListedIntentRow,
} from '../../postgres/reports/intent-list';
import type { IntentRow } from '../../postgres/intents/row';
import { notedTableLines, roughly, toTheSecond } from '../layout';
import { LIMIT, SINCE, UNTIL, wholeNumber } from '../option-values';
import { requirePartner } from '../partners/known-partner';
import { Rejection } from '../rejection';
import { option, verb } from '../verb';
import { toShown, type ShownIntent } from './story';

interface ListOptions extends Omit<IntentFilter, 'partnerId' | 'failedFor' | 'after'> {
  readonly attention?: boolean;
  readonly partner?: string;
  readonly reason?: string;
  readonly after?: string;
}

export const list = verb('list', {
  does: 'List payments, newest first. With --attention: those that need attention, the longest waiting first.',
  options: [
    option('--attention', 'only payments that need attention, with the reasons and for how long'),
    option('--status <status>', 'only payments with this status').choices(INTENT_STATUSES),
    option('--partner <partner>', 'only payments of this partner_id'),
    SINCE,
    UNTIL,
    option('--amount-usd-cents <cents>', 'only payments of exactly this amount').argParser(
      wholeNumber(1, AMOUNT_MAX_USD_CENTS),
    ),
    option('--corridor <corridor>', 'only payments of this corridor').choices(CORRIDORS),
    option('--reason <reason>', 'only payments that failed for this, such as payout_declined'),
    option('--after <intent>', 'go on after this payment: the last one of the rows before'),
    LIMIT,
  ],
  work(options: ListOptions) {
    return ({ database }) => findIntents(database, options);
  },
  lines(intents, [{ attention, limit }]) {
    const last = intents.at(-1);
    if (last === undefined) {
      return [attention === true ? 'No payment needs attention.' : 'There is no such payment.'];
    }
    const more = `There may be more: repeat with --after ${last.intent_id}.`;
    return [...intentListLines(intents), ...(intents.length === limit ? ['', more] : [])];
  },
});

/** The JSON shape that programs rely on. */
type ListedIntent = ShownIntent & Omit<ListedIntentRow, keyof IntentRow>;

/** @throws Rejection if there is no such partner, or no payment to go on after */
export async function findIntents(
  database: Queryable,
  { attention, partner, after, reason, ...filter }: ListOptions,
): Promise<readonly ListedIntent[]> {
  if (partner !== undefined) await requirePartner(database, partner);
  const isByAttention = attention === true;
  const place = after === undefined ? undefined : await placeOf(database, after, isByAttention);
  const read = isByAttention ? listAttention : listIntents;
  const options = { ...filter, partnerId: partner, failedFor: reason, after: place };
  return (await read(database, options)).map(toListed);
}

async function placeOf(database: Queryable, after: string, isByAttention: boolean) {
  const place = await findListed(database, after);
  if (place === undefined) throw new Rejection(`There is no payment ${after}.`);
  if (!isByAttention || place.attention_since !== null) return place;
  throw new Rejection(`${after} needs no attention any more. Leave out --after to begin anew.`);
}

function toListed(row: ListedIntentRow): ListedIntent {
  return {
    ...toShown(row),
    reason: row.reason,
    attention: row.attention,
    attention_since: row.attention_since,
    attention_seconds: row.attention_seconds,
  };
}

function intentListLines(intents: readonly ListedIntent[]): readonly string[] {
  return notedTableLines(
    intents.map((intent) => ({
      row: {
        intent: intent.intent_id,
        created: toTheSecond(intent.created_at),
        status: intent.status,
        amount: formatUsd(intent.amount_usd_cents),
        corridor: intent.corridor,
        partner: intent.partner_id,
      },
      notes: [...reasonOf(intent), ...attentionOf(intent)],
    })),
  );
}

function reasonOf({ status, reason }: ListedIntent): readonly string[] {
  return reason === null ? [] : [`${status}: ${reason}`];
}

function attentionOf({ attention_seconds: seconds, attention }: ListedIntent): readonly string[] {
  if (seconds === null) return [];
  const [first = '', ...others] = attention.map(({ kind, sentence }) => `${kind}: ${sentence}`);
  return [`has needed attention for ${roughly(seconds)}, ${first}`, ...others];
}
