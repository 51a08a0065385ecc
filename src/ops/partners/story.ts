// Everything about one partner but its secrets, as `payctl partners show` and `set` read it.
import type { Queryable } from '../../postgres/database';
import { readPartners } from '../../postgres/partners/list';
import { readEndpoints } from '../../postgres/webhooks/endpoints';
import { listActions, type ListedAction } from '../audit-trail';
import { listKeys } from '../keys/list';
import type { ListedKey } from '../keys/signing-keys';
import { toShownEndpoint, type ShownEndpoint } from '../webhooks/endpoint-view';
import { noPartner } from './known-partner';
import { issuerOf } from '../../domain/issuers';

/** The JSON shape that programs rely on. */
export interface PartnerSettingsShown {
  readonly jwks_url: string;
  readonly networks: readonly string[];
  readonly return_schemes: readonly string[];
  readonly kyc_max_age_seconds: number | null;
  readonly sanctions_max_age_seconds: number | null;
  readonly intents_per_second: number | null;
  readonly usd_cents_per_day: number | null;
  readonly display_name: string | null;
  /** Part of the logo's address: `/flow/logos/<logo_id>.png`. */
  readonly logo_id: string | null;
}

export interface PartnerStory extends PartnerSettingsShown {
  readonly partner_id: string;
  readonly environment: string;
  readonly created_at: Date;
  readonly issuer: string;
  /** What counts against `usd_cents_per_day` in the present UTC day. */
  readonly authorized_today_usd_cents: number;
  /** Since when no payment of it may begin; null if they may. */
  readonly suspended_at: Date | null;
  readonly keys: readonly ListedKey[];
  readonly webhook_endpoint: ShownEndpoint | null;
  /** The newest changes by operators, newest first. */
  readonly actions: readonly ListedAction[];
}

const ACTIONS_SHOWN = 20;

/** @throws Rejection if there is no such partner */
export async function findPartnerStory(
  database: Queryable,
  partnerId: string,
): Promise<PartnerStory> {
  const [partner] = await readPartners(database, partnerId);
  if (partner === undefined) throw noPartner(partnerId);
  const [endpoint] = await readEndpoints(database, partnerId);
  return {
    partner_id: partner.partner_id,
    environment: partner.environment,
    created_at: partner.created_at,
    issuer: issuerOf(partner.jwks_url),
    ...settingsShown(partner),
    authorized_today_usd_cents: partner.authorized_today_usd_cents,
    suspended_at: partner.suspended_at,
    keys: await listKeys(database, partnerId),
    webhook_endpoint: endpoint === undefined ? null : toShownEndpoint(endpoint),
    actions: await listActions(database, partnerId, ACTIONS_SHOWN),
  };
}

export function settingsShown(row: PartnerSettingsShown): PartnerSettingsShown {
  return {
    jwks_url: row.jwks_url,
    networks: row.networks,
    return_schemes: row.return_schemes,
    kyc_max_age_seconds: row.kyc_max_age_seconds,
    sanctions_max_age_seconds: row.sanctions_max_age_seconds,
    intents_per_second: row.intents_per_second,
    usd_cents_per_day: row.usd_cents_per_day,
    display_name: row.display_name,
    logo_id: row.logo_id,
  };
}
