// The rows around a partner that `partners create` writes and `partners set` replaces, and how their constraints are told.
import { WEBHOOK_EVENT_TYPES_BY_DEFAULT } from '../domain/webhook-event';
import { violatedConstraint, type Queryable } from '../postgres/database';
import { webhookSecretOwner } from '../postgres/webhook-store';
import type { SecretSeal } from '../signing/sealed-secret';
import type { PartnerEnvironment } from './partner-options';
import { Refusal } from './refusal';
import { makeWebhookSecret } from './secrets';

const WELL_KNOWN = '/.well-known/jwks.json';

/** The `iss` to mint with: the key-set URL without its well-known suffix, or the URL itself (decision 8). */
export function issuerOf(jwksUrl: string): string {
  return jwksUrl.endsWith(WELL_KNOWN) ? jwksUrl.slice(0, -WELL_KNOWN.length) : jwksUrl;
}

/** Every `iss` that selects the partner: exact texts, never normalised when compared (decision 8). */
function acceptedIssuers(jwksUrl: string): readonly string[] {
  const issuer = issuerOf(jwksUrl);
  return issuer === jwksUrl ? [jwksUrl] : [jwksUrl, issuer, `${issuer}/`];
}

interface Issuers {
  readonly partnerId: string;
  readonly environment: PartnerEnvironment;
  readonly jwksUrl: string;
}

export async function replaceIssuers(
  connection: Queryable,
  { partnerId, environment, jwksUrl }: Issuers,
): Promise<void> {
  await connection.query({
    text: `delete from token_issuers where partner_id = $1`,
    values: [partnerId],
  });
  await connection.query({
    text: `insert into token_issuers (environment, issuer, partner_id) select $1, unnest($2::text[]), $3`,
    values: [environment, acceptedIssuers(jwksUrl), partnerId],
  });
}

export async function replaceAddresses(
  connection: Queryable,
  partnerId: string,
  networks: readonly string[],
): Promise<void> {
  await connection.query({
    text: `delete from partner_addresses where partner_id = $1`,
    values: [partnerId],
  });
  await connection.query({
    text: `insert into partner_addresses (partner_id, network) select $1, unnest($2::cidr[])`,
    values: [partnerId, networks],
  });
}

interface Endpoint {
  readonly partnerId: string;
  readonly url: string;
  readonly seal: SecretSeal;
}

/** An endpoint that is there keeps its secret and is enabled again. Answers the secret of a new one. */
export async function setEndpoint(
  connection: Queryable,
  { partnerId, url, seal }: Endpoint,
): Promise<string | null> {
  const { rows } = await connection.query({
    text: `update webhook_endpoints set url = $2, disabled_at = null where partner_id = $1 returning partner_id`,
    values: [partnerId, url],
  });
  if (rows.length > 0) return null;
  const secret = makeWebhookSecret();
  await connection.query({
    text: `insert into webhook_endpoints (partner_id, url, secret_sealed, event_types) values ($1, $2, $3, $4)`,
    values: [
      partnerId,
      url,
      seal.seal(secret, webhookSecretOwner(partnerId)),
      WEBHOOK_EVENT_TYPES_BY_DEFAULT,
    ],
  });
  return secret;
}

interface Wished {
  readonly name: string;
  readonly jwksUrl?: string | undefined;
}

export function refuseTaken(error: unknown, { name, jwksUrl }: Wished): never {
  const constraint = violatedConstraint(error);
  if (constraint === 'partners_pkey' || constraint === 'signing_keys_pkey') {
    throw new Refusal(`Partner ${name} exists already. Choose another --name.`);
  }
  if (constraint === 'token_issuers_pkey') {
    throw new Refusal(
      `Another partner has registered ${jwksUrl ?? 'it'} already. One key set belongs to one partner.`,
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
