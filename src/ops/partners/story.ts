// `payctl partners list | show` (docs/operations.md): what partners are registered with and how they stand. No secret.
import type { Queryable } from '../../postgres/database';
import { readPartners } from '../../postgres/partners/list';
import { readEndpoints } from '../../postgres/webhooks/endpoints';
import { endpointState, toShownEndpoint, type ShownEndpoint } from '../webhooks/endpoint-view';
import { listActions, type ListedAction } from '../audit-trail';
import { noPartner } from './known-partner';
import { issuerOf } from './rows';
import { listKeys, type ListedKey } from '../keys/signing-keys';

/** What programs script against. */
export interface ListedPartner {
  readonly partner_id: string;
  readonly environment: string;
  readonly issuer: string;
  readonly jwks_url: string;
  readonly active_keys: number;
  readonly webhook_endpoint: 'none' | ShownEndpoint['state'];
}

export async function listPartners(database: Queryable): Promise<readonly ListedPartner[]> {
  return (await readPartners(database)).map((row) => ({
    partner_id: row.partner_id,
    environment: row.environment,
    issuer: issuerOf(row.jwks_url),
    jwks_url: row.jwks_url,
    active_keys: row.active_keys,
    webhook_endpoint: row.webhook_url === null ? 'none' : endpointState(row),
  }));
}

/** What programs script against. */
export interface PartnerSettingsShown {
  readonly jwks_url: string;
  readonly networks: readonly string[];
  readonly return_schemes: readonly string[];
  readonly kyc_max_age_seconds: number | null;
  readonly sanctions_max_age_seconds: number | null;
}

export interface PartnerStory extends PartnerSettingsShown {
  readonly partner_id: string;
  readonly environment: string;
  readonly created_at: Date;
  readonly issuer: string;
  readonly keys: readonly ListedKey[];
  readonly webhook_endpoint: ShownEndpoint | null;
  /** What operations did to it, newest first. */
  readonly actions: readonly ListedAction[];
}

const ACTIONS_SHOWN = 20;

/** @throws Rejection when there is no such partner */
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
  };
}
