// `payctl data prune` (decision 141) leaves what is open, or changed later.
import { pruneIntents } from '../../../src/postgres/intents/prune';
import { countOf, times } from '../../support/builders';
import { prepared, withDatabase, withPartner } from '../../support/brackets';
import { intentsOfEveryKind } from '../../postgres/intents/settled-intents';
import { EMPTIED, finishAll, LATER, ORDER } from './ended-payments';

const bed = withDatabase({ isPerTest: true });
const partner = withPartner(bed);
const intents = prepared(bed, () => intentsOfEveryKind(bed, partner));

const prune = () => pruneIntents(bed.database, ORDER, () => undefined);
const rowsOf = async (table: string, intentId: string) =>
  countOf(bed, `select count(*) from ${table} where intent_id = $1`, [intentId]);

const OPEN: readonly (readonly [string, string])[] = [
  ['has a pending webhook', `update webhook_events set state = 'pending', due_at = now()`],
  [
    'has a webhook that an operator may still send',
    `update webhook_events set state = 'skipped', finished_at = null`,
  ],
  [
    'had an attempt of a webhook later',
    `insert into webhook_attempts select event_id, 9, now() + interval '1 year', 1 from webhook_events`,
  ],
  [
    'was acknowledged later',
    `insert into attention (intent_id, kind, since, sentence, ended_at, ended_by)
     select intent_id, 'paid_twice', created_at, 'x', service_now(), 'ann' from payment_intents`,
  ],
  [
    'a database was restored before its comparison',
    `insert into payout_stops (actor, reason, kind) values ('watch', 'restored', 'restore')`,
  ],
  [
    'needs attention',
    `insert into attention (intent_id, kind, since, sentence)
     select intent_id, 'paid_twice', created_at, 'x' from payment_intents`,
  ],
  ['is to be checked', 'update payment_intents set check_at = now()'],
  ['has a payout without an answer', `update payouts set status = 'sent'`],
  ['changed its status later', `update intent_transitions set at = '${LATER.toISOString()}'`],
  ['has a webhook that ended later', `update webhook_events set finished_at = service_now()`],
  [
    'is to be rechecked',
    `insert into pending_rechecks select intent_id, 'paid', now(), now() from payment_intents`,
  ],
  [
    'has a scanned code',
    `insert into confirm_payloads (intent_id, jti_hash, qr_payload, expires_at)
     select intent_id, sha256('x'), 'x', now() from payment_intents`,
  ],
  [
    'differs from the statement of the provider',
    `with made as (
       insert into reconciliations (actor, statement, statement_sha256, since, until, lines)
       values ('ann', 'x', sha256('x'), now(), now(), 0) returning reconciliation_id)
     insert into reconcile_findings (kind, payout_key, intent_id, times, moved_from, moved_until,
                                     found_by, last_seen_by)
     select 'paid_twice', intent_id, intent_id, 2, now(), now(), reconciliation_id, reconciliation_id
       from payment_intents, made`,
  ],
];

describe('never of a payment that', () => {
  it.each(OPEN)('%s', async (_what, open) => {
    await finishAll(bed);
    await bed.setNow(LATER);
    await bed.database.query({ text: open });
    const counts = () =>
      times(EMPTIED.length, (nth) => rowsOf(EMPTIED[nth] ?? '', intents.captured));
    const before = await counts();
    expect((await prune()).pruned).toBeLessThan(7);
    expect(await counts()).toEqual(before);
  });

  it('another transaction changes', async () => {
    await finishAll(bed);
    await bed.setNow(LATER);
    await bed.database.inTransaction(async (connection) => {
      await connection.query({
        text: 'select from payment_intents where intent_id = $1 for update',
        values: [intents.captured],
      });
      expect(await prune()).toMatchObject({ pruned: 6 });
    });
    expect(await prune()).toMatchObject({ earlier: 6, pruned: 1 });
  });
});
