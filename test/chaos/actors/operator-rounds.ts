// Operators read the payments that need attention every two seconds. They resolve some of them by
// the provider's journal and leave the rest visible. While payouts are stopped, they resolve some
// waiting payments as declined.
import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../../../src/postgres/database';
import { checkLedger } from '../../../src/postgres/ledger/check';
import { allowPayouts, ARE_PAYOUTS_STOPPED } from '../../../src/postgres/payouts/stops';
import type { Actors } from './actors';
import { hasPaid, type ForPeople, type Waiting } from './for-people';

type Shared = 'database' | 'operator' | 'endpoints' | 'random' | 'putBacks' | 'forPeople';
type Rounds = Pick<Actors, Shared> & {
  readonly providerUrl: string;
};

const READ_EVERY_MS = 2_000;
const DECIDED_PERCENT = 60;
const DECLINED_WHILE_STOPPED_PERCENT = 30;
/** Operators replay a webhook event whose next attempt is further away than this. */
const REPLAYED_IF_DUE_AFTER_SECONDS = 120;

/** Runs until the signal is aborted. Returns when every command that was begun has its answer. */
export async function makeRounds(rounds: Rounds, stop: AbortSignal): Promise<void> {
  const { database, endpoints, random, putBacks, forPeople } = rounds;
  const seen = new Set<string>();
  const deciding: Promise<void>[] = [];
  while (!stop.aborted) {
    for (const { where, percent, decide } of operatorTasks(forPeople)) {
      const found = await findAuthorized(database, where).catch(() => []);
      for (const one of found.filter(({ intentId }) => !seen.has(intentId))) {
        seen.add(one.intentId);
        const isChosen = random() * 100 < percent;
        // While the sandbox is down its journal cannot be read: then nothing is resolved.
        if (isChosen) deciding.push(decide(rounds, one).catch(() => undefined));
      }
    }
    if (putBacks.length > 0) await endRestoreStops(database).catch(() => undefined);
    // Temporal or Postgres may be away: pending events are still there in the next round.
    await endpoints.replayPending(REPLAYED_IF_DUE_AFTER_SECONDS).catch(() => 0);
    await pause(READ_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
  }
  await Promise.all(deciding);
}

interface OperatorTask {
  /** A condition on an authorized intent `i`. */
  readonly where: string;
  readonly percent: number;
  readonly decide: ForPeople['decide'];
}

const operatorTasks = ({ where, decide }: ForPeople): readonly OperatorTask[] => [
  { where: `i.attention_since is not null and ${where}`, percent: DECIDED_PERCENT, decide },
  {
    // The provider has paid and could not report it yet: `declined` has to be rejected, and the
    // payment goes on by itself.
    where: `i.attention_since is not null and not (${where})`,
    percent: DECIDED_PERCENT,
    async decide({ operator, providerUrl }, { intentId }) {
      if (await hasPaid(providerUrl, intentId)) await operator.resolve(intentId, 'declined');
    },
  },
  {
    // Payments without a payout while payouts are stopped: the workflow verifies with the provider
    // that it has none.
    where: `${ARE_PAYOUTS_STOPPED} and not (${where})
     and not exists (select from payouts p where p.intent_id = i.intent_id)`,
    percent: DECLINED_WHILE_STOPPED_PERCENT,
    decide: ({ operator }, { intentId }) => operator.declineStopped(intentId),
  },
];

async function findAuthorized(database: Database, where: string): Promise<readonly Waiting[]> {
  const { rows } = await database.query<{ intent_id: string; amount_usd_cents: number }>({
    text: `select i.intent_id, i.amount_usd_cents from payment_intents i
            where i.status = 'authorized' and ${where}`,
  });
  return rows.map((row) => ({ intentId: row.intent_id, cents: row.amount_usd_cents }));
}

/**
 * Operators follow docs/restore.md. They know that no payment was lost: the books are as before.
 */
export async function endRestoreStops(database: Database): Promise<void> {
  const checks = await checkLedger(database, () => undefined);
  if (checks.some(({ violations }) => violations > 0)) return;
  const allowance = { actor: 'chaos', reason: 'only marks were lost', isAfterRestore: true };
  await allowPayouts(database, allowance);
}
