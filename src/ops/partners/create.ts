// `payctl partners create`: registers a partner with its first signing key. It fetches nothing, and
// everything is in force when it returns.
import { parsePartnerId } from '../../domain/ids';
import type { Queryable } from '../../postgres/database';
import { readEnvironment } from '../../postgres/service-environment';
import { nextKeyId } from '../keys/key-ids';
import { makeSigningSecret, secretSentence } from '../keys/secrets';
import { decide } from '../../postgres/approvals/decide';
import type { Operator } from '../audit-trail';
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
import { newWebhookSecret } from '../webhooks/new-secret';
import { givenSettings, rejectDuplicate } from './rows';

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
    recordAndSentences(partner, [secretSentence('Each secret', partner.signing_secret)]),
});

/**
 * As in `docs/operations/payctl-json.md`. Its secrets are shown only once, and are null if the
 * command that asked for the partner has shown them.
 */
export interface OnboardedPartner {
  readonly partner_id: string;
  readonly key_id: string;
  readonly signing_secret: string | null;
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
    const { actor, reason } = operator;
    const { webhookUrl } = options;
    const made = await newWebhookSecret(connection, seal, partnerId, webhookUrl);
    const shown: OnboardedPartner = {
      ...{ partner_id: partnerId, key_id: keyId, signing_secret: signingSecret },
      ...{ issuer: issuerOf(jwksUrl), jwks_url: jwksUrl },
      webhook_secret: made.secret,
    };
    const done = await decide(connection, {
      ...{ verb: 'partners create', actor, secrets: shown },
      given: {
        ...{ partner_id: partnerId, environment, key_id: keyId, reason, details: `key ${keyId}` },
        ...(await givenSettings(connection, { partnerId, environment }, settings)),
      },
      sealed: { ...made.sealed, signing: seal.seal(signingSecret, keyId).toString('hex') },
    });
    if (done?.asked_by === null) return shown;
    return { ...shown, signing_secret: null, webhook_secret: null };
  };
  return changeDirectory(database, insert).catch((error: unknown) =>
    rejectDuplicate(error, options),
  );
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
