-- Purpose: at most three active keys per partner, kept by an index; revoked keys that stay revoked; attestation ages per
-- partner; and one number by which a process sees that what it remembers of keys, addresses and issuers has changed.
-- Locks: short ones on signing_keys and partners, which are small and read rarely.
-- Up Migration

-- "A partner may hold up to 3 active keys at once" (spec, "Key rotation"; decision 27): an active key occupies one of
-- three slots. `payctl keys issue` frees the slot of a key whose time is over by writing its revoked_at.
alter table signing_keys add column slot smallint;
update signing_keys k set slot = numbered.slot
  from (select key_id, row_number() over (partition by partner_id, revoked_at is null order by created_at) as slot
          from signing_keys) as numbered
 where numbered.key_id = k.key_id and numbered.slot <= 3;
update signing_keys set slot = 1 where slot is null and revoked_at is not null;
alter table signing_keys
  alter column slot set not null,
  add constraint slot_is_one_of_three check (slot between 1 and 3);
create unique index signing_keys_three_active on signing_keys (partner_id, slot) where revoked_at is null;

-- "Revoked keys never authenticate again."
create function refuse_revival() returns trigger language plpgsql as $$
begin
  raise exception 'key % was revoked and stays revoked', old.key_id using errcode = 'check_violation';
end $$;
create trigger signing_keys_stay_revoked
  before update on signing_keys for each row
  when (old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at)
  execute function refuse_revival();

-- How old an attestation may be; null is any age (decision 9).
alter table partners
  add column kyc_max_age_seconds integer constraint kyc_max_age_is_positive check (kyc_max_age_seconds > 0),
  add column sanctions_max_age_seconds integer
    constraint sanctions_max_age_is_positive check (sanctions_max_age_seconds > 0);

-- Changed in the transaction of every change to what credentials are judged by (decision 112). One row, written by
-- operations only. A number drawn by chance and not the next one: a database that was restored would come back to numbers
-- that processes remember, with other keys behind them.
create table directory_version (
  only_row boolean primary key default true constraint only_one_row check (only_row),
  version bigint not null
);
insert into directory_version (version) values (floor(random() * 9007199254740991)::bigint);
create function change_directory_version() returns trigger language plpgsql as $$
begin
  update directory_version set version = floor(random() * 9007199254740991)::bigint;
  return null;
end $$;
create trigger partners_change_version after insert or update or delete or truncate on partners
  for each statement execute function change_directory_version();
create trigger token_issuers_change_version after insert or update or delete or truncate on token_issuers
  for each statement execute function change_directory_version();
create trigger signing_keys_change_version after insert or update or delete or truncate on signing_keys
  for each statement execute function change_directory_version();
create trigger partner_addresses_change_version after insert or update or delete or truncate on partner_addresses
  for each statement execute function change_directory_version();
