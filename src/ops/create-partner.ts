// `payctl partners create`: onboarding, which is manual (spec, "Conventions": credentials are issued to partners
// manually). It fetches nothing; everything is in force when it returns.
import { parsePartnerId } from '../domain/ids';
import type { Database, Queryable } from '../postgres/database';
import { readEnvironment } from '../postgres/service-environment';
import type { SecretSeal } from '../signing/sealed-secret';
import { changeDirectory } from './directory-change';
import { setEndpoint } from './endpoint-rows';
import { nextKeyId } from './key-ids';
import { refuseOtherSpelling } from './key-set-spelling';
import {
  checkSettings,
  type CheckedSettings,
  type PartnerEnvironment,
  type PartnerSettings,
} from './partner-options';
import { issuerOf, refuseTaken, replaceAddresses, replaceIssuers } from './partner-rows';
import { BadOption, Refusal } from './refusal';
import { makeSigningSecret } from './secrets';
import { insertSigningKey } from './signing-keys';

export interface PartnerOptions extends PartnerSettings {
  readonly name: string;
  readonly jwksUrl: string;
  readonly allow: readonly string[];
  readonly env: PartnerEnvironment;
}

/** A `partners` member of architecture, section 7, as `payctl` prints it. The two secrets are shown this once. */
export interface OnboardedPartner {
  readonly partner_id: string;
  readonly key_id: string;
  readonly signing_secret: string;
  readonly issuer: string;
  readonly jwks_url: string;
  readonly webhook_secret: string | null;
}

interface Onboarding {
  readonly database: Database;
  readonly seal: SecretSeal;
  readonly now: Date;
  /** PARTNER_NETWORKS, for partners of the sandbox. */
  readonly networks?: readonly string[] | undefined;
}

/** @throws Refusal when an option is not acceptable, the database is another environment's, or the name or an issuer is taken. */
export async function createPartner(
  { database, seal, now, networks }: Onboarding,
  options: PartnerOptions,
): Promise<OnboardedPartner> {
  const { name, env: environment, jwksUrl } = options;
  const partnerId = parsePartnerId(name);
  if (partnerId === undefined) {
    throw new BadOption(
      `--name ${name} is not a slug: 1 to 63 of a-z, 0-9 and "-", not beginning with "-".`,
    );
  }
  const partner = {
    partnerId,
    environment,
    jwksUrl,
    keyId: nextKeyId({ partnerId, environment, issued: [], now }),
    signingSecret: makeSigningSecret(),
    settings: checkSettings(options, { environment, networks }),
  };
  await refuseOtherEnvironment(database, environment);
  const webhookSecret = await changeDirectory(database, (connection) =>
    insertPartner(connection, partner, seal),
  ).catch((error: unknown) => refuseTaken(error, options));
  return {
    partner_id: partnerId,
    key_id: partner.keyId,
    signing_secret: partner.signingSecret,
    issuer: issuerOf(jwksUrl),
    jwks_url: jwksUrl,
    webhook_secret: webhookSecret,
  };
}

/** Its keys would be good for nothing: no process of that environment works on this database (decision 128). */
async function refuseOtherEnvironment(
  database: Queryable,
  environment: PartnerEnvironment,
): Promise<void> {
  const recorded = await readEnvironment(database);
  if (recorded === undefined || recorded === environment) return;
  throw new Refusal(
    `This is the database of ${recorded}, and --env is ${environment}. Say --env ${recorded}, or set DATABASE_URL to the database of ${environment}. Nothing was changed.`,
  );
}

interface NewPartner {
  readonly partnerId: string;
  readonly environment: PartnerEnvironment;
  readonly jwksUrl: string;
  readonly keyId: string;
  readonly signingSecret: string;
  readonly settings: CheckedSettings;
}

/** Answers the secret of the webhook endpoint, or null without one. */
async function insertPartner(
  connection: Queryable,
  partner: NewPartner,
  seal: SecretSeal,
): Promise<string | null> {
  const { partnerId, environment, keyId, settings } = partner;
  await insertPartnerRow(connection, partner);
  await refuseOtherSpelling(connection, partner);
  await replaceIssuers(connection, partner);
  const sealedSecret = seal.seal(partner.signingSecret, keyId);
  await insertSigningKey(connection, { keyId, partnerId, environment, sealedSecret, slot: 1 });
  await replaceAddresses(connection, partnerId, settings.networks ?? []);
  if (settings.webhookUrl === undefined) return null;
  return setEndpoint(connection, { partnerId, url: settings.webhookUrl, seal });
}

async function insertPartnerRow(
  connection: Queryable,
  { partnerId, environment, jwksUrl, settings }: NewPartner,
): Promise<void> {
  await connection.query({
    text: `insert into partners (partner_id, environment, jwks_url, return_schemes,
                                 kyc_max_age_seconds, sanctions_max_age_seconds)
           values ($1, $2, $3, $4, $5, $6)`,
    values: [
      partnerId,
      environment,
      jwksUrl,
      settings.returnSchemes ?? [],
      settings.kycMaxAgeSeconds ?? null,
      settings.sanctionsMaxAgeSeconds ?? null,
    ],
  });
}
