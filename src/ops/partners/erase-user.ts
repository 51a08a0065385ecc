// `payctl partners erase-user`: replaces a payer's `partner_user_id` in all intents of a partner.
// No other table holds it, nor does Temporal or a log.
import { createHash } from 'node:crypto';
import { readOne, type Database } from '../../postgres/database';
import { decide } from '../../postgres/approvals/decide';
import type { Operator } from '../audit-trail';
import { recordAndSentences } from '../layout';
import { AS, operatorOf, REASON, type OperatorOptions } from '../operator';
import { createProgressPrinter } from '../print';
import { required, verb } from '../verb';
import { requirePartner } from './known-partner';

interface Erasure {
  readonly partner_id: string;
  /** Intents whose member was replaced. */
  readonly erased: number;
}

interface EraseOptions extends OperatorOptions {
  readonly user: string;
}

export const eraseUser = verb('erase-user <partner>', {
  usage: '<partner> --user <id> [options]',
  does: 'Replace the partner_user_id of one payer by "erased", in all intents of the partner. It may be interrupted and repeated.',
  options: [required('--user <id>', 'the partner_user_id, as the partner sent it'), REASON, AS],
  work(partnerId: string, options: EraseOptions) {
    const operator = operatorOf(options);
    return ({ database }) => erasePayer(database, partnerId, options.user, operator);
  },
  lines: (erasure) =>
    recordAndSentences(erasure, [
      erasure.erased === 0
        ? 'No intent has this partner_user_id. Compare it, character by character, with what the partner sent.'
        : 'The digest of the create stays, so that its repeat is still recognised.',
    ]),
});

const BATCH = 5_000;

/** One batch in the order of ids, which no index by payer has to support. */
const ERASE = `
  with batch as materialized (
    select intent_id, partner_id, partner_user_id from payment_intents
     where intent_id > $1 order by intent_id limit ${BATCH}
  ),
  erased as (
    update payment_intents i set partner_user_id = 'erased'
      from batch b
     where i.intent_id = b.intent_id and b.partner_id = $2 and b.partner_user_id = $3
    returning i.intent_id
  )
  select (select max(intent_id) from batch) as last, (select count(*) from batch)::int as rows,
         (select count(*) from erased)::int as erased`;

interface Batch {
  readonly last: string | null;
  readonly rows: number;
  readonly erased: number;
}

/** @throws Rejection if there is no such partner */
async function erasePayer(
  database: Database,
  partnerId: string,
  user: string,
  operator: Operator,
): Promise<Erasure> {
  await requirePartner(database, partnerId);
  // The audit trail names no payer.
  const { actor, reason } = operator;
  const given = { partner_id: partnerId, user_sha256: sha256(user), reason };
  await decide(database, { verb: 'partners erase-user', given, actor });
  const printProgress = createProgressPrinter();
  let [after, read, erased] = ['', 0, 0];
  for (;;) {
    const batch = await readOne<Batch>(database, { text: ERASE, values: [after, partnerId, user] });
    read += batch.rows;
    erased += batch.erased;
    printProgress('intents read', read);
    if (batch.last === null) return { partner_id: partnerId, erased };
    after = batch.last;
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
