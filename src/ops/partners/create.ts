// `payctl partners create`: onboarding, which operators do. It fetches nothing; everything is in force when it returns.
import { parsePartnerId } from '../../domain/ids';
import type { Database, Queryable } from '../../postgres/database';
import { readEnvironment } from '../../postgres/service-environment';
import type { SecretSeal } from '../../signing/sealed-secret';
import { changeDirectory } from './directory-change';
import { nextKeyId } from '../keys/key-ids';
import { checkSettings, type PartnerEnvironment, type PartnerSettings } from './options';
import { issuerOf, rejectDuplicate, writeSettings } from './rows';
import { BadOption, Rejection } from '../rejection';
import { makeSigningSecret } from '../keys/secrets';
import { insertSigningKey } from '../keys/signing-keys';

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

/** @throws Rejection when an option is not acceptable, the database is another environment's, or the name or an issuer is taken. */
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
  const settings = checkSettings(options, { environment, networks });
  await rejectOtherEnvironment(database, environment);
  const keyId = nextKeyId({ partnerId, environment, issued: [], now });
  const signingSecret = makeSigningSecret();
  const insert = async (connection: Queryable) => {
    await connection.query({
      text: 'insert into partners (partner_id, environment, jwks_url) values ($1, $2, $3)',
      values: [partnerId, environment, jwksUrl],
    });
    const sealedSecret = seal.seal(signingSecret, keyId);
    await insertSigningKey(connection, { keyId, partnerId, environment, sealedSecret });
    return writeSettings(connection, { partnerId, environment, seal }, settings);
  };
  const webhookSecret = await changeDirectory(database, insert).catch((error: unknown) =>
    rejectDuplicate(error, options),
  );
  return {
    partner_id: partnerId,
    key_id: keyId,
    signing_secret: signingSecret,
    issuer: issuerOf(jwksUrl),
    jwks_url: jwksUrl,
    webhook_secret: webhookSecret,
  };
}

/** Its keys would be good for nothing: no process of that environment works on this database (decision 128). */
async function rejectOtherEnvironment(
  database: Queryable,
  environment: PartnerEnvironment,
): Promise<void> {
  const recorded = await readEnvironment(database);
  if (recorded === undefined || recorded === environment) return;
  throw new Rejection(
    `This is the database of ${recorded}, and --env is ${environment}. Say --env ${recorded}, or set DATABASE_URL to the database of ${environment}. Nothing was changed.`,
  );
}
