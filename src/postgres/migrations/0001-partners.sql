-- Purpose: partners, their signing keys, addresses, token issuers and webhook endpoints (architecture, section 5).
-- Locks: none that matter, the tables are new.
-- Up Migration

-- The one clock that decides deadlines (architecture, section 3). A time-skipping test's database replaces it.
create function service_now() returns timestamptz
  language sql volatile
  return clock_timestamp();

create table partners (
  partner_id text primary key constraint partner_id_is_a_slug check (partner_id ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  environment text not null constraint environment_is_known check (environment in ('sandbox', 'prod')),
  jwks_url text not null,
  return_schemes text[] not null default '{}',
  created_at timestamptz not null default service_now()
);

-- The exact `iss` values that select a partner (decision 8). Unique, so no two partners can answer for one issuer.
create table token_issuers (
  environment text not null,
  issuer text not null,
  partner_id text not null references partners,
  primary key (environment, issuer)
);

-- The secret is sealed with AES-256-GCM under the key-encryption key, with the key id as associated data.
create table signing_keys (
  key_id text primary key,
  partner_id text not null references partners,
  environment text not null constraint environment_is_known check (environment in ('sandbox', 'prod')),
  secret_sealed bytea not null,
  created_at timestamptz not null default service_now(),
  revokes_at timestamptz,
  revoked_at timestamptz
);
create index signing_keys_by_partner on signing_keys (partner_id);

create table partner_addresses (
  partner_id text not null references partners,
  network cidr not null,
  primary key (partner_id, network)
);

create table webhook_endpoints (
  partner_id text primary key references partners,
  url text not null,
  secret_sealed bytea not null,
  event_types text[] not null,
  created_at timestamptz not null default service_now(),
  disabled_at timestamptz
);
