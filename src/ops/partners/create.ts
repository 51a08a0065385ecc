// `payctl partners create`: registers a partner with its first signing key. It fetches nothing, and
// everything is in force when it returns.
import { parsePartnerId } from '../../domain/ids';
import type { Queryable } from '../../postgres/database';
import { readEnvironment } from '../../postgres/service-environment';
import { nextKeyId } from '../keys/key-ids';
import { makeSigningSecret } from '../keys/secrets';
import { insertSigningKey } from '../keys/signing-keys';
import { recordAction, type Operator } from '../audit-trail';
import { recordAndSentences } from '../layout';
import { AS, operatorOf, REASON, type OperatorOptions } from '../operator';
import { collect } from '../option-values';
import { BadOption, Rejection } from '../rejection';
import type { PartnerTools } from '../session';
import { databaseTime } from '../system-time';
import { option, required, verb } from '../verb';
import { changeDirectory } from './directory-change';
import {
  ALLOW,
  checkSettings,
  ENVIRONMENTS,
  SETTINGS,
  RETURN_SCHEME,
  type PartnerEnvironment,
  type PartnerSettings,
} from './options';
import { issuerOf } from '../../domain/issuers';
import { rejectDuplicate, writeSettings } from './rows';

interface PartnerOptions extends PartnerSettings {
  readonly name: string;
  readonly jwksUrl: string;
  readonly allow: readonly string[];
  readonly env: PartnerEnvironment;
}

export const create = verb('create', {
  usage: '--name <slug> --jwks-url <url> --allow <cidr> [options]',
  does: 'Register a partner and issue its first signing key. Its secrets are printed only once.',
  options: [
    required('--name <slug>', 'the partner_id: a-z, 0-9 and "-"'),
    required('--jwks-url <url>', "the partner's published key set"),
    required(...ALLOW).argParser(collect),
    option('--webhook-url <url>', 'where webhooks are posted'),
    RETURN_SCHEME,
    option('--env <env>', 'the environment of the partner')
      .choices(ENVIRONMENTS)
      .default('sandbox'),
    ...SETTINGS,
    REASON,
    AS,
  ],
  work(options: PartnerOptions & OperatorOptions) {
    const operator = operatorOf(options);
    return async (session) => {
      const now = await databaseTime(session.database);
      return createPartner({ ...session, now, operator }, options);
    };
  },
  lines: (partner) =>
    recordAndSentences(partner, ['The secrets are shown only once: hand them over now.']),
});

/** As in `docs/operations/payctl-json.md`. Its secrets are shown only once. */
export interface OnboardedPartner {
  readonly partner_id: string;
  readonly key_id: string;
  readonly signing_secret: string;
  readonly issuer: string;
  readonly jwks_url: string;
  readonly webhook_secret: string | null;
}

interface Onboarding extends PartnerTools {
  readonly now: Date;
  readonly operator: Operator;
}

/**
 * @throws Rejection if an option is invalid, the database belongs to another environment, or
 * another partner has the name or the issuer
 */
export async function createPartner(
  { database, seal, now, operator, networks }: Onboarding,
  options: PartnerOptions,
): Promise<OnboardedPartner> {
  const { name, env: environment, jwksUrl } = options;
  const partnerId = parsePartnerId(name);
  if (partnerId === undefined) {
    throw new BadOption(
      `--name ${name} is not a slug. Expected 1 to 63 characters of a-z, 0-9 and "-", not beginning with "-".`,
    );
  }
  requireAges(options);
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
    const action = { action: 'partners create', partnerId, details: `key ${keyId}` };
    await recordAction(connection, { ...operator, ...action });
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

/** An age that nobody has thought about is any age. */
function requireAges({ env, kycMaxAge, sanctionsMaxAge }: PartnerOptions): void {
  if (env !== 'prod' || (kycMaxAge !== undefined && sanctionsMaxAge !== undefined)) return;
  throw new BadOption(
    'In prod, give --kyc-max-age and --sanctions-max-age: how old the attestations in a token may be, in seconds, or "none" for any age. Nothing was changed.',
  );
}

/** Its keys would be useless: no process of that environment uses this database (decision 128). */
async function rejectOtherEnvironment(
  database: Queryable,
  environment: PartnerEnvironment,
): Promise<void> {
  const recorded = await readEnvironment(database);
  if (recorded === undefined || recorded === environment) return;
  throw new Rejection(
    `This is the database of ${recorded}, and --env is ${environment}. Give --env ${recorded}, or set DATABASE_URL to the database of ${environment}. Nothing was changed.`,
  );
}
