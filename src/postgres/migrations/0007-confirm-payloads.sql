-- Purpose: the scanned codes that came with confirms, until their payments are settled (decision 20).
-- Locks: none that matter, the table is new.
-- Up Migration

-- A code is kept under the token that brought it before that token is used; the transaction that authorizes by the token
-- adopts it. The intent belongs to one partner, so its id and the hash of the jti name the token.
-- No column of payment_intents: that row is read everywhere, and Postgres quotes a row that breaks a constraint in its
-- error, while a code may hold a card number.
create table confirm_payloads (
  intent_id text not null references payment_intents,
  jti_hash bytea not null constraint jti_hash_is_sha256 check (octet_length(jti_hash) = 32),
  -- As scanned. The bound is that of src/domain/limits.ts.
  qr_payload text not null constraint qr_payload_length check (octet_length(qr_payload) between 1 and 512),
  -- The exp of the token.
  expires_at timestamptz not null,
  is_adopted boolean not null default false,
  primary key (intent_id, jti_hash)
);
-- The code of a payment is one code.
create unique index confirm_payloads_adopted on confirm_payloads (intent_id) where is_adopted;
create index confirm_payloads_by_expiry on confirm_payloads (expires_at);
