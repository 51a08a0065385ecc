// The rows around a partner that `partners create` writes and `partners set` replaces, and how their constraints are told.
import { violatedConstraint, type Queryable } from '../postgres/database';
import type { PartnerEnvironment } from './partner-options';
import { BadOption, Refusal } from './refusal';

const WELL_KNOWN = '/.well-known/jwks.json';

/** The `iss` to mint with: the key-set URL without its well-known suffix, or the URL itself (decision 8). */
export function issuerOf(jwksUrl: string): string {
  return jwksUrl.endsWith(WELL_KNOWN) ? jwksUrl.slice(0, -WELL_KNOWN.length) : jwksUrl;
}

/** Every `iss` that selects the partner: exact texts, never normalised when compared (decision 8). */
export function acceptedIssuers(jwksUrl: string): readonly string[] {
  const issuer = issuerOf(jwksUrl);
  return issuer === jwksUrl ? [jwksUrl] : [jwksUrl, issuer, `${issuer}/`];
}

export interface Issuers {
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
    throw new BadOption('--allow names one network twice. Name each once.');
  }
  if (isNetworkWithHostBits(error)) {
    throw new BadOption(
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
