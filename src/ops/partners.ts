// `payctl partners create`: onboarding, which is manual (spec, "Conventions": credentials are issued to partners
// manually). It fetches nothing; everything is in force when it returns.
import { randomBytes } from 'node:crypto';
import { parsePartnerId, type PartnerId } from '../domain/ids';
import { WEBHOOK_EVENT_TYPES_BY_DEFAULT } from '../domain/webhook-event';
import { webhookSecretOwner } from '../postgres/webhook-store';
import type { Database, Queryable } from '../postgres/database';
import { violatedConstraint } from '../postgres/database';
import type { SecretSeal } from '../signing/sealed-secret';
import { parseJwksUrl, parseNetwork, parseReturnScheme, parseWebhookUrl } from './partner-options';
import { Refusal } from './refusal';

export interface PartnerOptions {
  readonly name: string;
  readonly jwksUrl: string;
  readonly allow: readonly string[];
  readonly webhookUrl?: string | undefined;
  readonly returnScheme: readonly string[];
  readonly env: 'sandbox' | 'prod';
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
}

const WELL_KNOWN = '/.well-known/jwks.json';
const SECRET_BYTES = 32;

/** @throws Refusal when an option is not acceptable, or the name or an issuer is taken. */
export async function createPartner(
  { database, seal, now }: Onboarding,
  options: PartnerOptions,
): Promise<OnboardedPartner> {
  const partnerId = parsePartnerId(options.name);
  if (partnerId === undefined) {
    throw new Refusal(
      `--name ${options.name} is not a slug: 1 to 63 of a-z, 0-9 and "-", not beginning with "-".`,
    );
  }
  const partner = issueCredentials(partnerId, checked(options), now);
  await database
    .inTransaction((connection) => insertPartner(connection, { partnerId, partner, options, seal }))
    .catch((error: unknown) => refuseTaken(error, options));
  return partner;
}

function checked(options: PartnerOptions): PartnerOptions {
  parseJwksUrl(options.jwksUrl, options.env);
  options.allow.forEach(parseNetwork);
  options.returnScheme.forEach(parseReturnScheme);
  if (options.webhookUrl !== undefined) parseWebhookUrl(options.webhookUrl, options.env);
  return options;
}

function issueCredentials(
  partnerId: PartnerId,
  options: PartnerOptions,
  now: Date,
): OnboardedPartner {
  return {
    partner_id: partnerId,
    key_id: `${partnerId}_${options.env}_${quarterOf(now)}`,
    signing_secret: randomBytes(SECRET_BYTES).toString('base64url'),
    issuer: issuerOf(options.jwksUrl),
    jwks_url: options.jwksUrl,
    webhook_secret:
      options.webhookUrl === undefined
        ? null
        : `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`,
  };
}

interface NewPartner {
  readonly partnerId: PartnerId;
  readonly partner: OnboardedPartner;
  readonly options: PartnerOptions;
  readonly seal: SecretSeal;
}

async function insertPartner(connection: Queryable, made: NewPartner): Promise<void> {
  const { partner, options, seal } = made;
  await connection.query({
    text: `insert into partners (partner_id, environment, jwks_url, return_schemes) values ($1, $2, $3, $4)`,
    values: [partner.partner_id, options.env, partner.jwks_url, options.returnScheme],
  });
  await connection.query({
    text: `insert into token_issuers (environment, issuer, partner_id) select $1, unnest($2::text[]), $3`,
    values: [options.env, acceptedIssuers(partner.jwks_url), partner.partner_id],
  });
  await connection.query({
    text: `insert into signing_keys (key_id, partner_id, environment, secret_sealed, slot) values ($1, $2, $3, $4, 1)`,
    values: [
      partner.key_id,
      partner.partner_id,
      options.env,
      seal.seal(partner.signing_secret, partner.key_id),
    ],
  });
  await connection.query({
    text: `insert into partner_addresses (partner_id, network) select $1, unnest($2::cidr[])`,
    values: [partner.partner_id, options.allow],
  });
  await insertEndpoint(connection, made);
}

async function insertEndpoint(
  connection: Queryable,
  { partnerId, partner, options, seal }: NewPartner,
): Promise<void> {
  if (options.webhookUrl === undefined || partner.webhook_secret === null) return;
  await connection.query({
    text: `insert into webhook_endpoints (partner_id, url, secret_sealed, event_types) values ($1, $2, $3, $4)`,
    values: [
      partnerId,
      options.webhookUrl,
      seal.seal(partner.webhook_secret, webhookSecretOwner(partnerId)),
      WEBHOOK_EVENT_TYPES_BY_DEFAULT,
    ],
  });
}

/** The `iss` to mint with: the key-set URL without its well-known suffix, or the URL itself (decision 8). */
function issuerOf(jwksUrl: string): string {
  return jwksUrl.endsWith(WELL_KNOWN) ? jwksUrl.slice(0, -WELL_KNOWN.length) : jwksUrl;
}

/** Every `iss` that selects the partner: exact texts, never normalised when compared (decision 8). */
function acceptedIssuers(jwksUrl: string): readonly string[] {
  const issuer = issuerOf(jwksUrl);
  return issuer === jwksUrl ? [jwksUrl] : [jwksUrl, issuer, `${issuer}/`];
}

/** `2026q4`: key ids follow `<partner>_<env>_<quarter>` (spec, X-Service-Key-Id; decision 13). */
function quarterOf(now: Date): string {
  return `${String(now.getUTCFullYear())}q${String(Math.floor(now.getUTCMonth() / 3) + 1)}`;
}

function refuseTaken(error: unknown, options: PartnerOptions): never {
  const constraint = violatedConstraint(error);
  if (constraint === 'partners_pkey' || constraint === 'signing_keys_pkey') {
    throw new Refusal(`Partner ${options.name} exists already. Choose another --name.`);
  }
  if (constraint === 'token_issuers_pkey') {
    throw new Refusal(
      `Another partner has registered ${options.jwksUrl} already. One key set belongs to one partner.`,
    );
  }
  if (constraint === 'partner_addresses_pkey') {
    throw new Refusal('--allow names one network twice. Name each once.');
  }
  if (isNetworkWithHostBits(error)) {
    throw new Refusal(
      '--allow has bits beyond its prefix: instead of, say, 10.0.0.1/8 give 10.0.0.0/8 or 10.0.0.1/32.',
    );
  }
  throw error;
}

const INVALID_TEXT_REPRESENTATION = '22P02';

/** The only text of ours that Postgres parses is a network, and its form was checked before. */
function isNetworkWithHostBits(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === INVALID_TEXT_REPRESENTATION;
}
