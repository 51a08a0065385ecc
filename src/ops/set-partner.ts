// `payctl partners set`: what a partner was registered with, replaced in one transaction. An option that is not given
// leaves what is there.
import type { Database, Queryable } from '../postgres/database';
import type { PartnerRow } from '../postgres/partner-list';
import { readEndpoints } from '../postgres/webhook-endpoints';
import type { SecretSeal } from '../signing/sealed-secret';
import { changeDirectory } from './directory-change';
import { setEndpoint } from './endpoint-rows';
import { toShownEndpoint, type ShownEndpoint } from './endpoint-view';
import { refuseOtherSpelling } from './key-set-spelling';
import { recordAction, type Operator } from './operator-trace';
import {
  checkSettings,
  type CheckedSettings,
  type PartnerEnvironment,
  type PartnerSettings,
} from './partner-options';
import { issuerOf, refuseTaken, replaceAddresses, replaceIssuers } from './partner-rows';
import { findPartnerRow, settingsShown, type PartnerSettingsShown } from './partner-story';
import { Refusal } from './refusal';
import { newestActiveKeyId } from './signing-keys';

export interface PartnerChanges extends PartnerSettings {
  readonly partnerId: string;
  readonly env?: PartnerEnvironment | undefined;
}

/**
 * A `partners` member of architecture, section 7, without the secrets that were shown when they were made; then the
 * settings as they stand now.
 */
export interface ChangedPartner extends PartnerSettingsShown {
  readonly partner_id: string;
  /** The newest active key; null when all are revoked. */
  readonly key_id: string | null;
  readonly signing_secret: null;
  readonly issuer: string;
  /** Of an endpoint that this call made; shown this once. */
  readonly webhook_secret: string | null;
  readonly webhook_endpoint: ShownEndpoint | null;
  /** Which of the settings this call was given, by their names here. */
  readonly given: readonly string[];
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
  { partnerId, ...changes }: PartnerChanges,
  operator: Operator,
): Promise<ChangedPartner> {
  const set = async (connection: Queryable) => {
    const partner = await findPartnerRow(connection, partnerId);
    refuseOtherEnvironment(partner, changes);
    const settings = checkSettings(changes, { environment: partner.environment, networks });
    await replaceRows(connection, partner, settings);
    const url = settings.webhookUrl;
    const secret =
      url === undefined ? null : await setEndpoint(connection, { partnerId, url, seal });
    const given = namesOf(settings);
    await recordAction(connection, {
      ...operator,
      action: 'partners set',
      partnerId,
      details: given.length === 0 ? 'nothing' : given.join(', '),
    });
    return { ...(await readChanged(connection, partnerId)), webhook_secret: secret, given };
  };
  return changeDirectory(database, set).catch((error: unknown) =>
    refuseTaken(error, { name: partnerId, jwksUrl: changes.jwksUrl }),
  );
}

async function replaceRows(
  connection: Queryable,
  partner: PartnerRow,
  settings: CheckedSettings,
): Promise<void> {
  const { partner_id: partnerId, environment } = partner;
  const { jwksUrl, networks } = settings;
  await updateRow(connection, partner, settings);
  if (jwksUrl !== undefined) {
    await refuseOtherSpelling(connection, { partnerId, environment, jwksUrl });
    await replaceIssuers(connection, { partnerId, environment, jwksUrl });
  }
  if (networks !== undefined) await replaceAddresses(connection, partnerId, networks);
}

const NAMES: Readonly<Record<keyof CheckedSettings, string>> = {
  jwksUrl: 'jwks_url',
  networks: 'networks',
  webhookUrl: 'webhook_endpoint',
  returnSchemes: 'return_schemes',
  kycMaxAgeSeconds: 'kyc_max_age_seconds',
  sanctionsMaxAgeSeconds: 'sanctions_max_age_seconds',
};

function namesOf(settings: CheckedSettings): readonly string[] {
  const wished = Object.entries(settings).filter(([, value]) => value !== undefined);
  return Object.entries(NAMES)
    .filter(([member]) => wished.some(([name]) => name === member))
    .map(([, name]) => name);
}

async function readChanged(connection: Queryable, partnerId: string) {
  const partner = await findPartnerRow(connection, partnerId);
  const [endpoint] = await readEndpoints(connection, partnerId);
  return {
    partner_id: partnerId,
    key_id: await newestActiveKeyId(connection, partnerId),
    signing_secret: null,
    issuer: issuerOf(partner.jwks_url),
    ...settingsShown(partner),
    webhook_endpoint: endpoint === undefined ? null : toShownEndpoint(endpoint),
  };
}

function refuseOtherEnvironment(
  { environment, partner_id }: PartnerRow,
  { env }: Pick<PartnerChanges, 'env'>,
) {
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
