// What a status change of a payment writes about its payout: common table expressions of the
// statements in ../intents/transition-statements.ts, after `clock` and `moved`.
import { insertAttention } from '../intents/attention';
import { NO_PAYOUT } from '../intents/transition-parts';
import { SET_DETAILS } from './details';

export const PAYOUT_IS_PAID: readonly string[] = [
  `
  payout as (
    update payouts p set status = 'paid', decided_at = clock.now,
         ${SET_DETAILS}
      from moved m, clock where p.intent_id = m.intent_id
    returning p.*
  )`,
  // What was paid is paid: a cost above the bound is for people (decision 151).
  `
  cost as (
    ${insertAttention(`(
      select p.intent_id, 'cost' as kind,
             format('The payout cost %s %s; its bound is %s USD.', p.cost_debited, p.cost_currency,
                    to_char(p.max_cost_usd_cents / 100.0, 'FM9999999990.00')) as sentence
        from payout p where p.cost_debited * 100 > p.max_cost_usd_cents) as s`)}
  )`,
  // A captured payment was paid out, also where a restored database has lost every attempt
  // (decision 127).
  `
  missing_payout as (
    insert into payouts (intent_id, status, attempts, first_attempt_at, decided_at)
    select m.intent_id, 'paid', 0, clock.now, clock.now
      from moved m, clock where ${NO_PAYOUT}
  )`,
];

/** A decline may be revoked, so the provider is queried again (decision 152). */
export const PAYOUT_IS_DECLINED = `
  payout as (
    update payouts p set status = 'declined', decided_at = clock.now, ask_corridor = m.corridor,
         ask_at = case when p.declined_at is not null and $actor = 'system'
                       then clock.now + interval '1 min' end
      from moved m, clock where p.intent_id = m.intent_id
  )`;
