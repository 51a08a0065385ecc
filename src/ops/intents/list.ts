// `payctl intents list`: payments by status, partner and time, and those that need attention.
import { INTENT_STATUSES, type IntentStatus } from '../../domain/intents/payment-intent';
import { formatUsd } from '../../domain/money';
import type { Queryable } from '../../postgres/database';
import type { OpenAttention } from '../../postgres/intents/attention';
import {
  listAttention,
  listIntents,
  type ListedIntentRow,
} from '../../postgres/reports/intent-list';
import { notedTableLines, roughly, toTheSecond } from '../layout';
import { LIMIT, parseInstant } from '../option-values';
import { requirePartner } from '../partners/known-partner';
import { option, verb } from '../verb';
import { toShown, type ShownIntent } from './story';

interface ListOptions {
  readonly attention?: boolean;
  readonly status?: IntentStatus;
  readonly partner?: string;
  readonly since?: Date;
  readonly limit: number;
}

export const list = verb('list', {
  does: 'List payments, newest first. With --attention: those that need attention, the longest waiting first.',
  options: [
    option('--attention', 'only payments that need attention, with the reasons and for how long'),
    option('--status <status>', 'only payments with this status').choices(INTENT_STATUSES),
    option('--partner <partner>', 'only payments of this partner_id'),
    option(
      '--since <time>',
      'only payments created at or after this time, such as 2026-03-02T12:00:00Z',
    ).argParser(parseInstant),
    LIMIT,
  ],
  work(options: ListOptions) {
    return ({ database }) => findIntents(database, options);
  },
  lines(intents, [{ attention }]) {
    if (intents.length > 0) return intentListLines(intents);
    return [attention === true ? 'No payment needs attention.' : 'There is no such payment.'];
  },
});

/** The JSON shape that programs rely on. */
interface ListedIntent extends ShownIntent {
  readonly attention: readonly OpenAttention[];
  readonly attention_since: Date | null;
  readonly attention_seconds: number | null;
}

/** @throws Rejection if there is no such partner */
export async function findIntents(
  database: Queryable,
  { attention, status, partner, since, limit }: ListOptions,
): Promise<readonly ListedIntent[]> {
  if (partner !== undefined) await requirePartner(database, partner);
  const filter = { status, partnerId: partner, since, limit };
  const read = attention === true ? listAttention : listIntents;
  return (await read(database, filter)).map(toListed);
}

function toListed(row: ListedIntentRow): ListedIntent {
  return {
    ...toShown(row),
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
      notes: attentionOf(intent),
    })),
  );
}

function attentionOf({ attention_seconds: seconds, attention }: ListedIntent): readonly string[] {
  if (seconds === null) return [];
  const [first = '', ...others] = attention.map(({ kind, sentence }) => `${kind}: ${sentence}`);
  return [`has needed attention for ${roughly(seconds)}, ${first}`, ...others];
}
