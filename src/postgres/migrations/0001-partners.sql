-- Purpose: the owner of this database; partners, their signing keys, addresses and token issuers
-- (architecture, section 5).
-- Locks: none that matter, the tables are new.
-- Up Migration

-- The clock that decides deadlines (architecture, section 3). Tests that skip time replace it.
create function service_now() returns timestamptz
  language sql volatile
  return clock_timestamp();

-- A process of another environment, or of another baseline of this schema, must not use this
-- database (decision 128). The migration knows neither, so src/main/migrate.ts writes the row,
-- once.
create table service_environment (
  is_only boolean primary key default true constraint environment_is_only check (is_only),
  environment text not null
    constraint environment_is_known check (environment in ('sandbox', 'prod')),
  baseline text not null,
  -- Whether decisions of operators need two people, and whether one may decide alone in an
  -- emergency. Only the owner of the database writes them (decision 159).
  four_eyes boolean not null default true,
  break_glass boolean not null default false,
  -- Recognises this database, also when it was restored: a Temporal namespace belongs to it.
  database_id uuid not null default gen_random_uuid()
);

-- The id that INSTALLATION_KEY derives: the first API or worker writes it, and one with another key
-- does not start. A create that is repeated under another key would make a second payment.
create table installation (
  is_only boolean primary key default true constraint installation_is_only check (is_only),
  installation_id text not null
);

create table partners (
  partner_id text primary key
    constraint partner_id_is_a_slug check (partner_id ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  environment text not null
    constraint environment_is_known check (environment in ('sandbox', 'prod')),
  jwks_url text not null,
  return_schemes text[] not null default '{}',
  created_at timestamptz not null default service_now(),
  -- How old an attestation may be; null allows any age (decision 9).
  kyc_max_age_seconds integer constraint kyc_max_age_is_positive check (kyc_max_age_seconds > 0),
  sanctions_max_age_seconds integer
    constraint sanctions_max_age_is_positive check (sanctions_max_age_seconds > 0),
  -- How many intents a second may be created, and how many cents a day may be authorized; null sets
  -- no limit (decision 139).
  intents_per_second integer
    constraint intents_per_second_is_positive check (intents_per_second > 0),
  usd_cents_per_day bigint
    constraint usd_cents_per_day_is_positive check (usd_cents_per_day > 0),
  -- What payers see on the checkout; null shows nothing. The id of a logo is random: it reveals
  -- nothing about the picture (decision 144).
  display_name text constraint display_name_is_short
    check (char_length(display_name) between 1 and 40 and display_name !~ '[[:cntrl:]]'),
  logo_id uuid constraint logo_id_is_unique unique,
  logo_png bytea constraint logo_is_small check (octet_length(logo_png) <= 32768),
  constraint logo_is_whole check ((logo_id is null) = (logo_png is null)),
  constraint logo_has_a_name check (logo_id is null or display_name is not null)
);

-- The exact `iss` values that select a partner (decision 8). The primary key prevents two partners
-- with the same issuer.
create table token_issuers (
  environment text not null,
  issuer text not null,
  partner_id text not null references partners,
  primary key (environment, issuer)
);

-- Each secret is sealed with AES-256-GCM under the key-encryption key, with the key id as
-- associated data.
create table signing_keys (
  key_id text primary key,
  partner_id text not null references partners,
  environment text not null
    constraint environment_is_known check (environment in ('sandbox', 'prod')),
  secret_sealed bytea not null,
  created_at timestamptz not null default service_now(),
  revokes_at timestamptz,
  revoked_at timestamptz,
  -- A partner has at most three active keys (protocol 3.6; decision 27): each active key has one of
  -- three slots. `payctl keys issue` frees the slot of a key whose revokes_at has passed by writing
  -- its revoked_at.
  slot smallint not null constraint slot_is_one_of_three check (slot between 1 and 3)
);
create index signing_keys_by_partner on signing_keys (partner_id);
create unique index signing_keys_three_active on signing_keys (partner_id, slot)
  where revoked_at is null;

-- When each key last made a signature that was accepted, accurate to an hour; null before. A table
-- of its own, since a change of signing_keys changes the directory's version.
create table signing_key_uses (
  key_id text primary key references signing_keys on delete cascade,
  used_at timestamptz
);
create function add_signing_key_use() returns trigger language plpgsql
  set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into signing_key_uses (key_id) values (new.key_id);
  return null;
end $$;
create trigger signing_keys_have_a_use
  after insert on signing_keys for each row execute function add_signing_key_use();

-- "Revoked keys never authenticate again."
create function reject_reactivation() returns trigger language plpgsql
  set search_path = pg_catalog, public, pg_temp as $$
begin
  raise exception 'key % was revoked and stays revoked', old.key_id
    using errcode = 'check_violation';
end $$;
create trigger signing_keys_stay_revoked
  before update on signing_keys for each row
  when (old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at)
  execute function reject_reactivation();

create table partner_addresses (
  partner_id text not null references partners,
  network cidr not null,
  primary key (partner_id, network)
);

-- What counts against the limits of a partner, for partners that have one. Times are
-- of the clock of Postgres; days are of UTC.
create table partner_seconds (
  partner_id text primary key,
  -- The newest second in which an intent was created, and how many were.
  second timestamptz not null,
  intents integer not null
);
create table partner_days (
  partner_id text not null,
  day date not null,
  authorized_usd_cents bigint not null
    constraint authorized_is_not_negative check (authorized_usd_cents >= 0),
  primary key (partner_id, day)
);

-- The version changes in the same transaction as any table by which credentials are checked
-- (decision 112). It is one row, and only operators' commands change it. It is a random number and
-- not the next one: a restored database would return to numbers that processes have cached with
-- other keys.
create table directory_version (
  only_row boolean primary key default true constraint only_one_row check (only_row),
  version bigint not null
);
insert into directory_version (version) values (floor(random() * 9007199254740991)::bigint);
create function change_directory_version() returns trigger language plpgsql
  set search_path = pg_catalog, public, pg_temp as $$
begin
  update directory_version set version = floor(random() * 9007199254740991)::bigint;
  return null;
end $$;
create trigger partners_change_version
  after insert or update or delete or truncate on partners
  for each statement execute function change_directory_version();
create trigger token_issuers_change_version
  after insert or update or delete or truncate on token_issuers
  for each statement execute function change_directory_version();
create trigger signing_keys_change_version
  after insert or update or delete or truncate on signing_keys
  for each statement execute function change_directory_version();
create trigger partner_addresses_change_version
  after insert or update or delete or truncate on partner_addresses
  for each statement execute function change_directory_version();
