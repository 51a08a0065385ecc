// Partners for operators: the registered data and the current state of each. No secret is selected.
import { readRows, type Queryable } from '../database';

interface PartnerRow {
  readonly partner_id: string;
  readonly environment: 'sandbox' | 'prod';
  readonly created_at: Date;
  readonly jwks_url: string;
  readonly return_schemes: readonly string[];
  /** Null allows any age. */
  readonly kyc_max_age_seconds: number | null;
  readonly sanctions_max_age_seconds: number | null;
  /** Null is no limit. */
  readonly intents_per_second: number | null;
  readonly usd_cents_per_day: number | null;
  /** Null without one. */
  readonly display_name: string | null;
  readonly logo_id: string | null;
  /** What counts against the limit of the present UTC day. */
  readonly authorized_today_usd_cents: number;
  /** Null unless it is suspended. */
  readonly suspended_at: Date | null;
  readonly networks: readonly string[];
  /** The number of keys that can sign now. */
  readonly active_keys: number;
  readonly webhook_url: string | null;
  readonly disabled_at: Date | null;
  readonly failing_since: Date | null;
}

/** All partners in the order of their ids, or the one with that id. */
export function readPartners(
  database: Queryable,
  partnerId?: string,
): Promise<readonly PartnerRow[]> {
  return readRows(database, {
    text: `select p.partner_id, p.environment, p.created_at, p.jwks_url, p.return_schemes,
                  p.kyc_max_age_seconds, p.sanctions_max_age_seconds, p.intents_per_second,
                  p.usd_cents_per_day, p.display_name, p.logo_id,
                  coalesce((select d.authorized_usd_cents from partner_days d
                             where d.partner_id = p.partner_id
                               and d.day = (service_now() at time zone 'UTC')::date), 0)
                    as authorized_today_usd_cents,
                  (select c.at from closures c
                    where c.partner_id = p.partner_id and c.ended_at is null) as suspended_at,
                  array(select a.network::text from partner_addresses a
                         where a.partner_id = p.partner_id order by a.network) as networks,
                  (select count(*) from signing_keys k
                    where k.partner_id = p.partner_id and k.revoked_at is null
                      and (k.revokes_at is null or k.revokes_at > service_now())) as active_keys,
                  e.url as webhook_url, e.disabled_at, e.failing_since
             from partners p
             left join webhook_endpoints e on e.partner_id = p.partner_id
            where $1::text is null or p.partner_id = $1
            order by p.partner_id`,
    values: [partnerId ?? null],
  });
}
