// What needs people, looked at now and then: some of it is decided, truthfully and by the provider's own journal; the rest
// stays visible to the end of the run. While payouts are stopped, some that wait for that are declared declined.
import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../../src/postgres/database';
import { ARE_PAYOUTS_STOPPED } from '../../src/postgres/payout-stops';
import type { Random } from '../bench/random';
import type { EndpointDesk } from './endpoint-desk';
import type { OperatorDesk } from './operator-desk';
import { readJournal } from './sources/journal';

/** src/sandbox/scenarios.ts: never known; and reported with another amount. */
const NEVER_KNOWN_USD_CENTS = 40_005;
const CONTRARY_USD_CENTS = 40_008;
export const STAYS_VISIBLE: readonly number[] = [NEVER_KNOWN_USD_CENTS, CONTRARY_USD_CENTS];

interface RoundsOptions {
  readonly database: Database;
  readonly operator: OperatorDesk;
  readonly endpoints: EndpointDesk;
  readonly providerUrl: string;
  readonly random: Random;
}

const LOOK_EVERY_MS = 2_000;
const DECIDED_PERCENT = 60;
const DECLINED_WHILE_HELD_PERCENT = 30;
/** A webhook that waits longer than this for its next attempt is sent again by hand, as operations may. */
const REPLAYED_IF_DUE_AFTER_SECONDS = 120;

/** Until the signal is aborted; comes back when all that was begun has been answered. */
export async function makeRounds(options: RoundsOptions, stop: AbortSignal): Promise<void> {
  const seen = new Set<string>();
  const deciding: Promise<void>[] = [];
  const look = (found: readonly Waiting[], percent: number, work: typeof decide) => {
    for (const one of found.filter(({ intentId }) => !seen.has(intentId))) {
      seen.add(one.intentId);
      const isChosen = options.random() * 100 < percent;
      // A sandbox that is down has no journal to show: then nothing is declared.
      if (isChosen) deciding.push(work(options, one).catch(() => undefined));
    }
  };
  while (!stop.aborted) {
    look(await findAttention(options.database).catch(() => []), DECIDED_PERCENT, decide);
    look(await findUndecided(options.database).catch(() => []), DECIDED_PERCENT, declareFalsely);
    look(await findHeld(options.database).catch(() => []), DECLINED_WHILE_HELD_PERCENT, decline);
    // Temporal or Postgres may be away: what is owed is still owed at the next round.
    await options.endpoints.replayOwed(REPLAYED_IF_DUE_AFTER_SECONDS).catch(() => 0);
    await pause(LOOK_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
  }
  await Promise.all(deciding);
}

async function decide({ operator, providerUrl, random }: RoundsOptions, one: Waiting) {
  const { intentId, cents } = one;
  const isContrary = cents === CONTRARY_USD_CENTS;
  // First what is not true: the provider says otherwise, so it has to be refused.
  if (isContrary && random() < 0.5) await operator.declare(intentId, 'declined');
  const isPaid = (await readJournal(providerUrl)).some(({ key }) => key.startsWith(intentId));
  if (isPaid === isContrary) await operator.declare(intentId, isPaid ? 'paid' : 'declined');
}

/** What the provider was paid for and could not tell yet: it has to be refused, and the payment goes on by itself. */
async function declareFalsely(options: RoundsOptions, { intentId }: Waiting): Promise<void> {
  const { operator, providerUrl } = options;
  const isPaid = (await readJournal(providerUrl)).some(({ key }) => key.startsWith(intentId));
  if (isPaid) await operator.declare(intentId, 'declined');
}

/** It was not begun, and the run judges for itself whether the provider has it all the same. */
async function decline({ operator }: RoundsOptions, { intentId }: Waiting): Promise<void> {
  await operator.declineHeld(intentId);
}

interface Waiting {
  readonly intentId: string;
  readonly cents: number;
}

function findAttention(database: Database): Promise<readonly Waiting[]> {
  return findAuthorized(
    database,
    'i.attention_reason is not null and i.amount_usd_cents = any ($1)',
  );
}

function findUndecided(database: Database): Promise<readonly Waiting[]> {
  return findAuthorized(
    database,
    'i.attention_reason is not null and i.amount_usd_cents <> all ($1)',
  );
}

/** While payouts are stopped: what was not begun. */
function findHeld(database: Database): Promise<readonly Waiting[]> {
  return findAuthorized(
    database,
    `${ARE_PAYOUTS_STOPPED} and i.amount_usd_cents <> all ($1)
     and not exists (select from payouts p where p.intent_id = i.intent_id)`,
  );
}

async function findAuthorized(database: Database, where: string): Promise<readonly Waiting[]> {
  const { rows } = await database.query<{ intent_id: string; amount_usd_cents: number }>({
    text: `select i.intent_id, i.amount_usd_cents from payment_intents i
            where i.status = 'authorized' and ${where}`,
    values: [STAYS_VISIBLE],
  });
  return rows.map((row) => ({ intentId: row.intent_id, cents: row.amount_usd_cents }));
}
