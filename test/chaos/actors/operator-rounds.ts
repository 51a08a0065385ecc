// What needs people, looked at now and then: some of it is decided, truthfully and by the provider's own journal; the rest
// stays visible to the end of the run. While payouts are stopped, some that wait for that are declared declined.
import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../../../src/postgres/database';
import { ARE_PAYOUTS_STOPPED } from '../../../src/postgres/payouts/stops';
import type { Cast } from './actors';
import { readJournal } from '../sources/journal';

/** src/sandbox/scenarios.ts: never known; and reported with another amount. */
const NEVER_KNOWN_USD_CENTS = 40_005;
const CONTRARY_USD_CENTS = 40_008;
export const STAYS_VISIBLE: readonly number[] = [NEVER_KNOWN_USD_CENTS, CONTRARY_USD_CENTS];

type Rounds = Pick<Cast, 'database' | 'operator' | 'endpoints' | 'random'> & {
  readonly providerUrl: string;
};

const READ_EVERY_MS = 2_000;
const DECIDED_PERCENT = 60;
const DECLINED_WHILE_HELD_PERCENT = 30;
/** A webhook that waits longer than this for its next attempt is sent again by hand, as operations may. */
const REPLAYED_IF_DUE_AFTER_SECONDS = 120;

/** Until the signal is aborted; comes back when all that was begun has been answered. */
export async function makeRounds(rounds: Rounds, stop: AbortSignal): Promise<void> {
  const { database, endpoints, random } = rounds;
  const seen = new Set<string>();
  const deciding: Promise<void>[] = [];
  while (!stop.aborted) {
    for (const { where, percent, decide } of NEEDS_PEOPLE) {
      const found = await findAuthorized(database, where).catch(() => []);
      for (const one of found.filter(({ intentId }) => !seen.has(intentId))) {
        seen.add(one.intentId);
        const isChosen = random() * 100 < percent;
        // A sandbox that is down has no journal to show: then nothing is declared.
        if (isChosen) deciding.push(decide(rounds, one).catch(() => undefined));
      }
    }
    // Temporal or Postgres may be away: what is owed is still owed at the next round.
    await endpoints.replayOwed(REPLAYED_IF_DUE_AFTER_SECONDS).catch(() => 0);
    await pause(READ_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
  }
  await Promise.all(deciding);
}

interface Waiting {
  readonly intentId: string;
  readonly cents: number;
}

interface Need {
  /** Of an authorized intent `i`; `$1` are the amounts that stay visible. */
  readonly where: string;
  readonly percent: number;
  readonly decide: (rounds: Rounds, one: Waiting) => Promise<void>;
}

const NEEDS_PEOPLE: readonly Need[] = [
  {
    where: 'i.attention_reason is not null and i.amount_usd_cents = any ($1)',
    percent: DECIDED_PERCENT,
    async decide({ operator, providerUrl, random }, { intentId, cents }) {
      const hasAmountMismatch = cents === CONTRARY_USD_CENTS;
      // First what is not true: the provider says otherwise, so it has to be refused.
      if (hasAmountMismatch && random() < 0.5) await operator.declare(intentId, 'declined');
      const isPaid = await hasPaid(providerUrl, intentId);
      if (isPaid === hasAmountMismatch)
        await operator.declare(intentId, isPaid ? 'paid' : 'declined');
    },
  },
  {
    // What the provider was paid for and could not tell yet: it has to be refused, and the payment goes on by itself.
    where: 'i.attention_reason is not null and i.amount_usd_cents <> all ($1)',
    percent: DECIDED_PERCENT,
    async decide({ operator, providerUrl }, { intentId }) {
      if (await hasPaid(providerUrl, intentId)) await operator.declare(intentId, 'declined');
    },
  },
  {
    // While payouts are stopped, what was not begun: the run judges for itself whether the provider has it all the same.
    where: `${ARE_PAYOUTS_STOPPED} and i.amount_usd_cents <> all ($1)
     and not exists (select from payouts p where p.intent_id = i.intent_id)`,
    percent: DECLINED_WHILE_HELD_PERCENT,
    decide: ({ operator }, { intentId }) => operator.declineHeld(intentId),
  },
];

async function hasPaid(providerUrl: string, intentId: string): Promise<boolean> {
  return (await readJournal(providerUrl)).some(({ key }) => key.startsWith(intentId));
}

async function findAuthorized(database: Database, where: string): Promise<readonly Waiting[]> {
  const { rows } = await database.query<{ intent_id: string; amount_usd_cents: number }>({
    text: `select i.intent_id, i.amount_usd_cents from payment_intents i
            where i.status = 'authorized' and ${where}`,
    values: [STAYS_VISIBLE],
  });
  return rows.map((row) => ({ intentId: row.intent_id, cents: row.amount_usd_cents }));
}
