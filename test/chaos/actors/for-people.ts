// The payments of a chaos run that may stay open until people decide, and what operators do about
// them.
import type { Random } from '../../bench/load/random';
import { readRows, type Queryable } from '../../../src/postgres/database';
import type { ChaosOptions } from '../command-line';
import { RETURNED_USD_CENTS } from '../invariants/reconciliation';
import { readJournal } from '../sources/journal';
import type { Operator } from './operator';

interface Means {
  readonly operator: Operator;
  readonly random: Random;
  readonly providerUrl: string;
}

export interface Waiting {
  readonly intentId: string;
  readonly cents: number;
}

/**
 * src/sandbox/scenarios.ts: the outcome stays unknown; the provider reports another amount; the
 * money comes back after 3 s, before our side knew that it was paid if the first answer was lost.
 */
const NEVER_KNOWN_USD_CENTS = 40_005;
const AMOUNT_MISMATCH_USD_CENTS = 40_008;
const STAY_VISIBLE = [...[NEVER_KNOWN_USD_CENTS, AMOUNT_MISMATCH_USD_CENTS, RETURNED_USD_CENTS]];

/** The payments that need people if they stay open, and what operators do about them. */
export interface ForPeople {
  /** A condition on an intent `i`. */
  readonly where: string;
  readonly decide: (means: Means, one: Waiting) => Promise<void>;
}

const OF_THE_SANDBOX: ForPeople = {
  where: `i.status = 'authorized' and i.amount_usd_cents in (${STAY_VISIBLE.join(', ')})`,
  async decide({ operator, providerUrl, random }, { intentId, cents }) {
    const hasAmountMismatch = cents === AMOUNT_MISMATCH_USD_CENTS;
    // First a false resolution: the provider contradicts it, so it has to be rejected.
    if (hasAmountMismatch && random() < 0.5) await operator.resolve(intentId, 'declined');
    const isPaid = await hasPaid(providerUrl, intentId);
    if (isPaid !== hasAmountMismatch) return;
    await (isPaid ? operator.resolve(intentId, 'paid') : operator.declineSilent(intentId));
  },
};

/**
 * Where a denial is no proof: an order that may have been made, and that the provider has never
 * called its own. Nothing is sent again, and nothing given back.
 */
const UNPROVEN: ForPeople = {
  where: `exists (
    select from attention a where a.intent_id = i.intent_id and a.ended_at is null
       and a.kind in ('payout_unknown', 'may_be_paid', 'funds_short')) and not exists (
    select from payouts p where p.intent_id = i.intent_id
       and (p.accepted_at is not null or p.declined_at is not null))`,
  async decide({ operator, providerUrl }, { intentId }) {
    if (await hasPaid(providerUrl, intentId)) await operator.resolve(intentId, 'paid');
  },
};

export const forPeopleWith = ({ hasAdapters }: Pick<ChaosOptions, 'hasAdapters'>): ForPeople =>
  hasAdapters ? UNPROVEN : OF_THE_SANDBOX;

/** The payments that were never confirmed, by their row, and that need people all the same. */
export async function findCreatedForPeople(
  database: Queryable,
  { where }: ForPeople,
): Promise<ReadonlySet<string>> {
  const rows = await readRows<{ readonly intent_id: string }>(database, {
    text: `select i.intent_id from payment_intents i
            where i.status = 'created' and i.attention_since is not null and ${where}`,
  });
  return new Set(rows.map((row) => row.intent_id));
}

export async function hasPaid(providerUrl: string, intentId: string): Promise<boolean> {
  return (await readJournal(providerUrl)).some(({ key }) => key.startsWith(intentId));
}
