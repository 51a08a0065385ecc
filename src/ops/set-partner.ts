// `payctl partners set`: what a partner was registered with, replaced in one transaction. An option that is not given
// leaves what is there.
import type { Database, Queryable } from '../postgres/database';
import type { SecretSeal } from '../signing/sealed-secret';
import { changeDirectory } from './directory-change';
import {
  checkSettings,
  type CheckedSettings,
  type PartnerEnvironment,
  type PartnerSettings,
} from './partner-options';
import {
  issuerOf,
  refuseTaken,
  replaceAddresses,
  replaceIssuers,
  setEndpoint,
} from './partner-rows';
import { Refusal } from './refusal';
import { newestActiveKeyId } from './signing-keys';

export interface PartnerChanges extends PartnerSettings {
  readonly env?: PartnerEnvironment | undefined;
}

/** A `partners` member of architecture, section 7, without the secrets that were shown when they were made. */
export interface ChangedPartner {
  readonly partner_id: string;
  /** The newest active key; null when all are revoked. */
  readonly key_id: string | null;
  readonly signing_secret: null;
  readonly issuer: string;
  readonly jwks_url: string;
  /** Of an endpoint that this call made; shown this once. */
  readonly webhook_secret: string | null;
}

interface SetTools {
  readonly database: Database;
  readonly seal: SecretSeal;
  /** PARTNER_NETWORKS, for partners of the sandbox. */
  readonly networks?: readonly string[] | undefined;
}

/** @throws Refusal when the partner is unknown, an option is not acceptable, or an issuer is taken. */
export async function setPartner(
  { database, seal, networks }: SetTools,
  partnerId: string,
  changes: PartnerChanges,
): Promise<ChangedPartner> {
  const set = async (connection: Queryable) => {
    const partner = await findPartner(connection, partnerId);
    refuseOtherEnvironment(partner, changes);
    const { environment } = partner;
    const settings = checkSettings(changes, { environment, networks });
    const jwksUrl = settings.jwksUrl ?? partner.jwks_url;
    await updateRow(connection, partner, settings);
    if (settings.jwksUrl !== undefined) {
      await replaceIssuers(connection, { partnerId, environment, jwksUrl });
    }
    if (settings.networks !== undefined) {
      await replaceAddresses(connection, partnerId, settings.networks);
    }
    return {
      partner_id: partnerId,
      key_id: await newestActiveKeyId(connection, partnerId),
      signing_secret: null,
      issuer: issuerOf(jwksUrl),
      jwks_url: jwksUrl,
      webhook_secret:
        settings.webhookUrl === undefined
          ? null
          : await setEndpoint(connection, { partnerId, url: settings.webhookUrl, seal }),
    };
  };
  return changeDirectory(database, set).catch((error: unknown) =>
    refuseTaken(error, { name: partnerId, jwksUrl: changes.jwksUrl }),
  );
}

interface PartnerRow {
  readonly partner_id: string;
  readonly environment: PartnerEnvironment;
  readonly jwks_url: string;
  readonly return_schemes: readonly string[];
  readonly kyc_max_age_seconds: number | null;
  readonly sanctions_max_age_seconds: number | null;
}

async function findPartner(connection: Queryable, partnerId: string): Promise<PartnerRow> {
  const { rows } = await connection.query<PartnerRow>({
    text: `select partner_id, environment, jwks_url, return_schemes, kyc_max_age_seconds, sanctions_max_age_seconds
             from partners where partner_id = $1`,
    values: [partnerId],
  });
  if (rows[0] === undefined) throw new Refusal(`There is no partner ${partnerId}.`);
  return rows[0];
}

function refuseOtherEnvironment({ environment, partner_id }: PartnerRow, { env }: PartnerChanges) {
  if (env === undefined || env === environment) return;
  throw new Refusal(
    `Partner ${partner_id} belongs to ${environment} for good, and so do its keys: for ${env}, create a partner there.`,
  );
}

async function updateRow(
  connection: Queryable,
  partner: PartnerRow,
  settings: CheckedSettings,
): Promise<void> {
  const { kycMaxAgeSeconds: kyc, sanctionsMaxAgeSeconds: sanctions } = settings;
  await connection.query({
    text: `update partners
              set jwks_url = $2, return_schemes = $3, kyc_max_age_seconds = $4, sanctions_max_age_seconds = $5
            where partner_id = $1`,
    values: [
      partner.partner_id,
      settings.jwksUrl ?? partner.jwks_url,
      settings.returnSchemes ?? partner.return_schemes,
      kyc === undefined ? partner.kyc_max_age_seconds : kyc,
      sanctions === undefined ? partner.sanctions_max_age_seconds : sanctions,
    ],
  });
}
