// `payctl data prune` (decision 141): deletes what belongs to payments that ended long ago.
import { PRUNE_AGE_MIN_DAYS } from '../../domain/limits';
import { decide } from '../../postgres/approvals/decide';
import { readOne, type Database } from '../../postgres/database';
import { pruneDays, pruneIntents, type Pruned } from '../../postgres/intents/prune';
import { IS_RESTORE_STOP_IN_FORCE } from '../../postgres/payouts/stops';
import { checkLedger } from '../../postgres/ledger/check';
import { recordAction } from '../audit-trail';
import { recordAndSentences } from '../layout';
import { AS, operatorOf, REASON, type OperatorOptions } from '../operator';
import { parseInstant } from '../option-values';
import { createProgressPrinter } from '../print';
import { Rejection } from '../rejection';
import { required, verb } from '../verb';

interface PruneOptions extends OperatorOptions {
  readonly before: Date;
}

interface Prune extends Pruned {
  readonly before: Date;
  /** Neither pruned now nor earlier: something of them is open, or happened after the time. */
  readonly open: number;
}

export const prune = verb('prune', {
  does: `Delete transitions, transfers, payouts and webhooks of payments that ended before a time, and the payer of each; their sums are carried forward. Nothing open is deleted, and a repeated create is answered as ever. It runs as the owner of the database, checks the ledger first, and may be interrupted and repeated.`,
  options: [
    required('--before <time>', `at least ${PRUNE_AGE_MIN_DAYS} days ago`).argParser(parseInstant),
    REASON,
    AS,
  ],
  work({ before, ...options }: PruneOptions) {
    const operator = operatorOf(options);
    return async ({ database }): Promise<Prune> => {
      await requirePrunable(database, before);
      const print = createProgressPrinter();
      await requireRightLedger(database, (rows) => {
        print('rows checked', rows);
      });
      await requireApprovedAge(database, before, operator.actor);
      const details = `before ${before.toISOString()}`;
      await recordAction(database, { ...operator, action: 'data prune', details });
      const pruned = await pruneIntents(database, { before, actor: operator.actor }, (read) => {
        print('intents read', read);
      });
      await pruneDays(database, before);
      return { before, ...pruned, open: pruned.read - pruned.earlier - pruned.pruned };
    };
  },
  lines: (story) =>
    recordAndSentences(story, [
      'Numbers of intents created before that time. Of an open one something is not finished, or happened later.',
    ]),
});

/** An age that was approved once needs no second approval. @throws ApprovalRequired */
async function requireApprovedAge(database: Database, before: Date, actor: string): Promise<void> {
  const { days } = await readOne<{ readonly days: number }>(database, {
    text: 'select floor(extract(epoch from service_now() - $1) / 86400)::integer as days',
    values: [before],
  });
  await decide(database, { verb: 'data prune', given: { days }, actor });
}

interface Obstacles {
  /** By the clock of Postgres. */
  readonly isYoung: boolean;
  readonly isDenied: boolean;
  readonly isRestored: boolean;
}

/** @throws Rejection if the time is too near, the login has no right, or a database was restored */
async function requirePrunable(database: Database, before: Date): Promise<void> {
  const { isYoung, isDenied, isRestored } = await readOne<Obstacles>(database, {
    text: `select $1 > service_now() - interval '${PRUNE_AGE_MIN_DAYS} days' as "isYoung",
                  not has_table_privilege('ledger_transfers', 'delete') as "isDenied",
                  ${IS_RESTORE_STOP_IN_FORCE} as "isRestored"`,
    values: [before],
  });
  if (isYoung) {
    throw new Rejection(
      `--before must be at least ${PRUNE_AGE_MIN_DAYS} days ago: Temporal still knows younger payments. Nothing was deleted.`,
    );
  }
  if (isDenied) {
    throw new Rejection(
      'This login may not delete what was booked. Run it with the DATABASE_URL of the owner, as migrate.',
    );
  }
  if (isRestored) {
    throw new Rejection(
      'Payouts are stopped for a restore, which needs the old rows: finish docs/restore.md first. Nothing was deleted.',
    );
  }
}

/** @throws Rejection if a rule is violated: what is pruned could not be examined any more */
async function requireRightLedger(
  database: Database,
  onProgress: (rows: number) => void,
): Promise<void> {
  const checks = await checkLedger(database, onProgress);
  if (checks.every(({ violations }) => violations === 0)) return;
  throw new Rejection(
    'The ledger does not agree with itself: see "payctl ledger check". Nothing was deleted.',
  );
}
