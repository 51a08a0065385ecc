-- Purpose: what decisions about partners, keys and webhooks write.
-- Locks: none.
-- Up Migration

-- Changes of the directory wait for each other: what a command has read stays until its decision.
create function lock_directory() returns void language sql security definer
  set search_path = pg_catalog, public, pg_temp as $$
  select from directory_version for update
$$;

-- Writes the settings that are given and keeps the others; a new endpoint needs a sealed secret.
create function write_settings(of_partner text, given jsonb, sealed jsonb) returns void
  language plpgsql as $$
begin
  -- A new logo has a new id, since browsers cache it for ever.
  if given ? 'logo_png' then
    given := given || jsonb_build_object(
      'logo_id', case when given ->> 'logo_png' is not null then gen_random_uuid() end);
  end if;
  update partners p
     set (jwks_url, return_schemes, kyc_max_age_seconds, sanctions_max_age_seconds,
          intents_per_second, usd_cents_per_day, display_name, logo_id, logo_png) =
         (select jwks_url, return_schemes, kyc_max_age_seconds, sanctions_max_age_seconds,
                 intents_per_second, usd_cents_per_day, display_name, logo_id, logo_png
            from jsonb_populate_record(p, given))
   where p.partner_id = of_partner;
  if given ? 'issuers' then
    delete from token_issuers where partner_id = of_partner;
    insert into token_issuers (environment, issuer, partner_id)
    select p.environment, jsonb_array_elements_text(given -> 'issuers'), of_partner
      from partners p where p.partner_id = of_partner;
  end if;
  if given ? 'networks' then
    delete from partner_addresses where partner_id = of_partner;
    insert into partner_addresses (partner_id, network)
    select of_partner, jsonb_array_elements_text(given -> 'networks')::cidr;
  end if;
  if given ? 'webhook_endpoint' then
    perform set_endpoint(of_partner, given ->> 'webhook_endpoint', null, sealed);
  end if;
end $$;

-- An existing endpoint keeps its secrets. It is enabled, and its count of failures starts again.
create function set_endpoint(of_partner text, new_url text, types text[], sealed jsonb)
  returns void language plpgsql as $$
begin
  update webhook_endpoints
     set url = coalesce(new_url, url), event_types = coalesce(types, event_types),
         disabled_at = null, disabled_reason = null, failing_since = null,
         gone_in_a_row = 0, gone_since = null
   where partner_id = of_partner;
  if found then return; end if;
  insert into webhook_endpoints (partner_id, url, secret_sealed, event_types)
  values (of_partner, new_url, decode(sealed ->> 'webhook', 'hex'), coalesce(types, array[
            'payment_intent.captured', 'payment_intent.failed', 'payment_intent.refunded']));
end $$;

-- Takes the lowest free of the partner's three slots.
create function insert_signing_key(of_partner text, of_key text, sealed jsonb) returns void
  language sql as $$
  insert into signing_keys (key_id, partner_id, environment, secret_sealed, slot)
  select of_key, of_partner, (select environment from partners where partner_id = of_partner),
         decode(sealed ->> 'signing', 'hex'), min(slot)
    from generate_series(1, 3) as slot
   where slot not in (select k.slot from signing_keys k
                       where k.partner_id = of_partner and k.revoked_at is null)
$$;

create function decision_partners_create(given jsonb, shown jsonb, by text, sealed jsonb)
  returns jsonb language plpgsql as $$
declare
  partner constant text := given ->> 'partner_id';
begin
  insert into partners (partner_id, environment, jwks_url)
  values (partner, given ->> 'environment', given ->> 'jwks_url');
  perform insert_signing_key(partner, given ->> 'key_id', sealed);
  perform write_settings(partner, given, sealed);
  return record_action(by, 'partners create', partner, given);
end $$;

create function decision_partners_set(given jsonb, shown jsonb, by text, sealed jsonb)
  returns jsonb language plpgsql as $$
begin
  perform write_settings(given ->> 'partner_id', given, sealed);
  return record_action(by, 'partners set', given ->> 'partner_id', given);
end $$;

-- A key whose end has passed is revoked from then on, which frees its slot. "Old and new keys are
-- both valid during the transition. After 14 days the old key is revoked" (protocol 3.6).
create function decision_keys_issue(given jsonb, shown jsonb, by text, sealed jsonb)
  returns jsonb language plpgsql as $$
declare
  partner constant text := given ->> 'partner_id';
begin
  update signing_keys set revoked_at = revokes_at
   where partner_id = partner and revoked_at is null and revokes_at <= service_now();
  update signing_keys set revokes_at = service_now() + interval '14 days'
   where partner_id = partner and revoked_at is null and revokes_at is null;
  perform insert_signing_key(partner, given ->> 'key_id', sealed);
  return record_action(by, 'keys issue', partner, given);
end $$;

create function decision_keys_revoke(given jsonb, shown jsonb, by text, sealed jsonb)
  returns jsonb language plpgsql as $$
declare
  partner text;
begin
  update signing_keys set revoked_at = least(service_now(), revokes_at)
   where key_id = given ->> 'key_id' and revoked_at is null
  returning partner_id into partner;
  if not found then return null; end if;
  return record_action(by, 'keys revoke', partner, jsonb_build_object(
    'reason', given -> 'reason', 'details', 'key ' || (given ->> 'key_id')));
end $$;

create function decision_webhooks_set(given jsonb, shown jsonb, by text, sealed jsonb)
  returns jsonb language plpgsql as $$
begin
  perform set_endpoint(given ->> 'partner_id', given ->> 'url',
                       (select array_agg(t)
                          from jsonb_array_elements_text(given -> 'event_types') t),
                       sealed);
  return record_action(by, 'webhooks set', given ->> 'partner_id', given);
end $$;

-- The old secret moves to another column together with its seal, whose associated data names no
-- column. An attacker who can write one column can also write the other and the end of the overlap,
-- so associated data that names the column would protect nothing.
create function decision_webhooks_rotate(given jsonb, shown jsonb, by text, sealed jsonb)
  returns jsonb language plpgsql as $$
declare
  hours constant integer := (given ->> 'overlap_hours')::integer;
begin
  update webhook_endpoints
     set previous_secret_sealed = case when hours > 0 then secret_sealed end,
         previous_until = case when hours > 0
                               then service_now() + make_interval(hours => hours) end,
         secret_sealed = decode(sealed ->> 'webhook', 'hex')
   where partner_id = given ->> 'partner_id';
  return record_action(by, 'webhooks rotate', given ->> 'partner_id', given);
end $$;

create function decision_webhooks_disable(given jsonb, shown jsonb, by text, sealed jsonb)
  returns jsonb language plpgsql as $$
begin
  update webhook_endpoints
     set disabled_at = service_now(), disabled_reason = given ->> 'reason'
   where partner_id = given ->> 'partner_id' and disabled_at is null;
  if not found then return null; end if;
  return record_action(by, 'webhooks disable', given ->> 'partner_id', given);
end $$;

-- Skips pending events of a disabled endpoint, as the workflow repairer does: an attempt that is
-- under way is still recorded, and counts if the endpoint accepts it. Returns how many.
create function skip_pending_events(of_partner text, at_once integer, of_action bigint)
  returns integer language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp as $$
declare
  skipped integer;
begin
  update webhook_events v set state = 'skipped', due_at = null, check_at = null
    from (select e.event_id from webhook_events e join webhook_endpoints w using (partner_id)
           where e.partner_id = of_partner and e.state = 'pending' and w.disabled_at is not null
           order by e.due_at limit at_once
             for update of e) as pending
   where v.event_id = pending.event_id;
  get diagnostics skipped = row_count;
  update operator_actions set events = coalesce(events, 0) + skipped
   where action_id = of_action and action = 'webhooks disable' and partner_id = of_partner;
  return skipped;
end $$;

revoke execute on function lock_directory, skip_pending_events from public;
