-- Purpose: what the runs of earlier builds have told operations of a provider that has the payout, so that those who judge it
-- know it too (0013, decision 105).
-- Locks: rows of payouts whose payment waits for operations; few.
-- Up Migration

update payouts p
   set taken_at = service_now()
  from payment_intents i
 where i.intent_id = p.intent_id
   and i.status = 'authorized'
   and p.taken_at is null
   and (i.attention_reason like 'The provider reports %' or i.attention_reason like 'The provider has called the payout pending %');
