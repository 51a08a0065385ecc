-- Purpose: used nonces, used session tokens, scanned codes and quotes; the intents and the audit
-- trail of their statuses; and why they need operators.
-- Locks: none that matter, the tables are new.
-- Up Migration

-- The hot tables have no foreign keys to partners: each insert would share-lock the row of a busy
-- partner. Partners are never deleted, and the inserting statement reads the partner's key in the
-- same snapshot.

create table request_nonces (
  partner_id text not null,
  nonce bytea not null constraint nonce_is_32_bytes check (octet_length(nonce) = 32),
  seen_at timestamptz not null,
  primary key (partner_id, nonce)
);
-- Rows are inserted in the order of seen_at, so a block-range index finds old ones at almost no
-- cost per insert.
create index request_nonces_by_age on request_nonces using brin (seen_at);

create table payment_intents (
  intent_id text primary key
    constraint intent_id_has_its_form check (intent_id ~ '^pi_[0-9a-hjkmnp-tv-z]{26}$'),
  partner_id text not null,
  partner_user_id text not null
    constraint partner_user_id_length check (char_length(partner_user_id) between 1 and 256),
  amount_usd_cents bigint not null
    constraint amount_within_limits check (amount_usd_cents between 1 and 100000000),
  -- The constraint corridor_is_known comes with add_corridor, in 0003.
  corridor text not null,
  status text not null default 'created' constraint status_is_known check (
    status in ('created', 'authorized', 'captured', 'failed', 'expired', 'refunded', 'cancelled')),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  captured_at timestamptz(3),
  -- The idempotency record. The 201 response is a function of this row, so no copy of it is stored
  -- (decision 14).
  idempotency_key text
    constraint idempotency_key_length check (char_length(idempotency_key) between 1 and 256),
  request_digest bytea,
  -- When the workflow repairer or the deadline poller checks the row next; null if it need not.
  check_at timestamptz,
  -- Since when the intent has needed an operator, and whether its workflow is gone: from its open
  -- rows in `attention`, so that no read and no statement that moves money joins them.
  attention_since timestamptz,
  is_workflow_gone boolean not null default false,
  -- The one request whose response says that it cancelled the intent (decision 25).
  cancel_answered_by text,
  -- Whether the provider must be queried before the payment is sent, expired or cancelled, since
  -- Postgres has lost commits or the provider's statement has it as paid (decision 127).
  must_query_provider boolean not null default false,
  -- The query to the provider whose answer proves that nothing was paid, although rows may have
  -- forgotten a payout. Only a change that names this query relies on the answer (decision 145).
  unpaid_by_query text,
  -- The day in `partner_days` that counts the amount since it was authorized; null where the
  -- partner had no limit then.
  counted_on date,
  -- When `payctl data prune` deleted what belongs to the intent (decision 141).
  pruned_at timestamptz,
  constraint idempotency_key_has_digest
    check ((idempotency_key is null) = (request_digest is null)),
  constraint captured_at_when_captured
    check ((captured_at is not null) = (status in ('captured', 'refunded')))
);
create unique index payment_intents_by_idempotency_key
  on payment_intents (partner_id, idempotency_key) where idempotency_key is not null;
create index payment_intents_to_check on payment_intents (check_at) where check_at is not null;
create index payment_intents_needing_attention on payment_intents (attention_since)
  where attention_since is not null;
-- This index serves lists by time, since ids that are derived from idempotency keys do not sort by
-- time.
create index payment_intents_by_creation on payment_intents (created_at);

-- The audit trail. An intent enters a status at most once, and only along the edges of
-- src/domain/intents/transitions.ts.
create table intent_transitions (
  intent_id text not null references payment_intents,
  from_status text not null,
  to_status text not null,
  at timestamptz not null,
  actor text not null,
  reason text,
  -- The request that changed the status, if its caller must learn that it was this request
  -- (decision 16); otherwise null.
  request_id text,
  primary key (intent_id, to_status),
  constraint edge_is_in_the_table check ((from_status, to_status) in (
    ('created', 'authorized'),
    ('created', 'expired'),
    ('created', 'cancelled'),
    ('authorized', 'captured'),
    ('authorized', 'failed'),
    ('authorized', 'cancelled'),
    ('captured', 'refunded')
  ))
);

-- For the list of payments that failed for a reason. Only a failed payment writes to it, and a
-- whole reason might be too long for an index.
create index intent_transitions_failed_for on intent_transitions (left(reason, 100), intent_id)
  where to_status = 'failed';

-- A status change without its audit row in the same transaction is rejected at commit.
create function reject_unaudited_transition() returns trigger language plpgsql
  set search_path = pg_catalog, public, pg_temp as $$
begin
  if not exists (
    select from intent_transitions
     where intent_id = new.intent_id and from_status = old.status and to_status = new.status
  ) then
    raise exception 'status of % changed from % to % without its audit row',
      new.intent_id, old.status, new.status using errcode = 'check_violation';
  end if;
  return null;
end $$;
create constraint trigger payment_intents_status_is_audited
  after update of status on payment_intents
  deferrable initially deferred
  for each row when (old.status is distinct from new.status)
  execute function reject_unaudited_transition();

-- Session tokens that authorized, or were accepted for, an intent (decision 6). jti_hash is SHA-256
-- of the jti.
create table used_tokens (
  partner_id text not null,
  jti_hash bytea not null constraint jti_hash_is_sha256 check (octet_length(jti_hash) = 32),
  intent_id text not null references payment_intents,
  expires_at timestamptz not null,
  -- The request that answered 200 for the token; null before one has.
  answered_by text,
  primary key (partner_id, jti_hash)
);
create index used_tokens_by_expiry on used_tokens (expires_at);

-- Quotes (decision 155): what the payee of a scanned code gets, by the provider of the corridor.
-- Without checks: Postgres quotes a row that violates one in its error, and a payee has a name.
create table quotes (
  quote_id text primary key,
  intent_id text not null references payment_intents,
  -- SHA-256 of the scanned code.
  code_hash bytea not null,
  local_currency text not null,
  local_minor bigint not null,
  payee_name text,
  -- `bank`: the provider has asked the payee's bank. Otherwise nobody has verified the name.
  payee_from text,
  rate text,
  -- The account at the provider that gave the quote, and what an order through it repeats.
  account text not null,
  token text,
  expires_at timestamptz not null,
  -- The payment was authorized with it, and this is what the payer's confirm says was shown.
  is_adopted boolean not null default false,
  shown jsonb
);
create index quotes_by_intent on quotes (intent_id);
create index quotes_by_expiry on quotes (expires_at) where not is_adopted;

-- How many quotes of an intent were requested and for which codes, and until when a request for one
-- holds the intent's only place.
create table quote_requests (
  intent_id text primary key references payment_intents,
  requests integer not null,
  code_hashes bytea[] not null,
  busy_until timestamptz not null
);

-- When the bucket of a partner's quotes is full again.
create table partner_quotes (
  partner_id text primary key,
  full_at timestamptz not null
);

-- The scanned codes that came with confirms, until their payments are settled (decision 20). A code
-- is stored under its token before the token is used, and the transaction that authorizes by the
-- token adopts it. The intent belongs to one partner, so its id and the hash of the jti identify
-- the token.
--
-- A code is not a column of payment_intents: that row is read everywhere, and Postgres quotes a row
-- that violates a constraint in its error, while a code may contain a card number.
create table confirm_payloads (
  intent_id text not null references payment_intents,
  jti_hash bytea not null constraint jti_hash_is_sha256 check (octet_length(jti_hash) = 32),
  -- As scanned. The bound is that of src/domain/limits.ts.
  qr_payload text not null
    constraint qr_payload_length check (octet_length(qr_payload) between 1 and 512),
  -- What the payee must get, in minor units; null if neither the quote nor the code says it.
  local_currency text,
  local_minor bigint,
  -- The quote that came with it, and what the payer was shown of that.
  quote_id text references quotes,
  shown jsonb,
  -- The exp of the token.
  expires_at timestamptz not null,
  is_adopted boolean not null default false,
  primary key (intent_id, jti_hash)
);
-- A payment adopts at most one code.
create unique index confirm_payloads_adopted on confirm_payloads (intent_id) where is_adopted;
create index confirm_payloads_by_expiry on confirm_payloads (expires_at);
create index confirm_payloads_by_quote on confirm_payloads (quote_id) where quote_id is not null;

-- Why an intent needs an operator (src/domain/intents/attention.ts; a test compares them). Another
-- status ends the kinds that name it.
create table attention_kinds (
  kind text primary key,
  ended_by text[] not null
);
insert into attention_kinds (kind, ended_by)
select kind, '{authorized,captured,failed,expired,cancelled,refunded}'::text[]
  from unnest(array['payout_unknown', 'payout_pending', 'payout_differs',
                    'may_be_paid', 'funds_short', 'row_contradicts', 'history_long',
                    'resolution_contradicted']) as of_payment (kind);
insert into attention_kinds (kind, ended_by) values
  -- A statement may say it of an open payment, and a capture brings nothing back.
  ('returned', '{failed,cancelled,expired,refunded}'), ('paid_not_captured', '{captured}'), ('captured_not_paid', '{refunded}'),
  ('amount_differs', '{}'), ('corridor_differs', '{}'), ('paid_twice', '{}'), ('cost', '{}'),
  ('key_unknown', '{}'), ('workflow_gone', '{}');

-- An intent has at most one open row of a kind. The others are what operators have dealt with.
create table attention (
  attention_id bigint generated always as identity primary key,
  intent_id text not null references payment_intents,
  kind text not null references attention_kinds,
  since timestamptz not null,
  sentence text not null,
  ended_at timestamptz,
  -- The new status, the name of an operator, `resume`, or a reconciliation.
  ended_by text,
  -- What an operator has done about it; otherwise null.
  ended_reason text,
  constraint ended_has_both check ((ended_at is null) = (ended_by is null))
);
create unique index attention_open on attention (intent_id, kind) where ended_at is null;
create index attention_by_intent on attention (intent_id);

-- What an operator has recorded stays.
create function reject_change_of_ended_attention() returns trigger language plpgsql
  set search_path = pg_catalog, public, pg_temp as $$
begin
  raise exception 'attention % has ended', old.attention_id using errcode = 'check_violation';
end $$;
create trigger ended_attention_stays
  before update on attention
  for each row when (old.ended_at is not null) execute function reject_change_of_ended_attention();

create function show_attention_on_intent() returns trigger language plpgsql
  set search_path = pg_catalog, public, pg_temp as $$
begin
  update payment_intents i
     set attention_since = open.since, is_workflow_gone = open.is_workflow_gone
    from (select min(since) as since,
                 coalesce(bool_or(kind = 'workflow_gone'), false) as is_workflow_gone
            from attention where intent_id = new.intent_id and ended_at is null) as open
   where i.intent_id = new.intent_id;
  return null;
end $$;
create trigger attention_shows_on_intent
  after insert or update of ended_at on attention
  for each row execute function show_attention_on_intent();

-- A statement of its own, so that it sees attention that was raised while the status change waited
-- for the row.
create function end_attention_by_status() returns trigger language plpgsql
  set search_path = pg_catalog, public, pg_temp as $$
begin
  update attention a set ended_at = service_now(), ended_by = new.status
    from attention_kinds k
   where a.intent_id = new.intent_id and a.ended_at is null
     and k.kind = a.kind and new.status = any (k.ended_by);
  return null;
end $$;
create trigger payment_intents_status_ends_attention
  after update of status on payment_intents
  for each row when (old.status is distinct from new.status and new.attention_since is not null)
  execute function end_attention_by_status();
