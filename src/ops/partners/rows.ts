// The rows of a partner that `partners create` and `partners set` write, and the sentences for
// their violated constraints.
import { randomUUID } from 'node:crypto';
import { systemCodeOf } from '../../domain/errors';
import { acceptedIssuers } from '../../domain/issuers';
import { readRows, violatedConstraint, type Queryable } from '../../postgres/database';
import type { SecretSeal } from '../../signing/sealed-secret';
import { setEndpoint } from '../webhooks/endpoint-rows';
import type { CheckedSettings, PartnerEnvironment, PartnerSettings } from './options';
import { BadOption, Rejection } from '../rejection';

interface Partner {
  readonly partnerId: string;
  readonly environment: PartnerEnvironment;
  readonly seal: SecretSeal;
}

/**
 * Writes the given settings and keeps the others.
 * @returns the secret of a webhook endpoint that this call made, otherwise null
 */
export async function writeSettings(
  connection: Queryable,
  partner: Partner,
  settings: CheckedSettings,
): Promise<string | null> {
  const { partnerId, seal } = partner;
  const { jwks_url: jwksUrl, networks, webhook_endpoint: url, logo } = settings;
  await connection.query({
    // JSON leaves out undefined members, and the row keeps its value for those.
    text: `update partners p
              set (jwks_url, return_schemes, kyc_max_age_seconds, sanctions_max_age_seconds,
                   intents_per_second, usd_cents_per_day, display_name, logo_id, logo_png) =
                  (select jwks_url, return_schemes, kyc_max_age_seconds, sanctions_max_age_seconds,
                          intents_per_second, usd_cents_per_day, display_name, logo_id, logo_png
                     from jsonb_populate_record(p, $2))
            where partner_id = $1`,
    values: [partnerId, JSON.stringify({ ...settings, ...logoColumns(logo) })],
  });
  if (jwksUrl !== undefined) await replaceIssuers(connection, partner, jwksUrl);
  if (networks !== undefined) await replaceAddresses(connection, partnerId, networks);
  return url === undefined ? null : setEndpoint(connection, { partnerId, url, seal });
}

/** A new logo has a new id, since browsers cache it for ever. */
function logoColumns(logo: CheckedSettings['logo']) {
  if (logo === undefined) return {};
  return {
    logo_id: logo === null ? null : randomUUID(),
    logo_png: logo === null ? null : `\\x${logo.toString('hex')}`,
  };
}

async function replaceIssuers(
  connection: Queryable,
  { partnerId, environment }: Partner,
  jwksUrl: string,
): Promise<void> {
  const others = await readRows<{ readonly issuer: string }>(connection, {
    text: `select issuer from token_issuers where environment = $1 and partner_id <> $2`,
    values: [environment, partnerId],
  });
  rejectOtherSpelling(jwksUrl, others);
  await connection.query({
    text: `delete from token_issuers where partner_id = $1`,
    values: [partnerId],
  });
  await connection.query({
    text: `insert into token_issuers (environment, issuer, partner_id)
           select $1, unnest($2::text[]), $3`,
    values: [environment, acceptedIssuers(jwksUrl), partnerId],
  });
}

/**
 * One key set belongs to one partner, in every spelling of its address. The registered text stays
 * as it was given, since `iss` is compared character for character (decision 8). The caller's
 * transaction locks the directory, so no other command can register another spelling meanwhile.
 * @throws Rejection if an issuer of another partner means the same address
 */
function rejectOtherSpelling(
  jwksUrl: string,
  others: readonly { readonly issuer: string }[],
): void {
  const wanted = acceptedIssuers(jwksUrl);
  const meant = new Set(wanted.map(meaningOf));
  const other = others.find(({ issuer }) => meant.has(meaningOf(issuer)));
  if (other === undefined) return;
  const spelled = wanted.includes(other.issuer) ? '' : `, spelled ${other.issuer}`;
  throw new Rejection(
    `Another partner has registered ${jwksUrl} already${spelled}. One key set belongs to one partner.`,
  );
}

/**
 * The address as a fetch understands it. The URL parser writes scheme and host in lower case and in
 * ASCII, drops the default port and resolves dots. It leaves a dot behind the host, and
 * percent-encoding of characters that need none: both are normalised here.
 */
function meaningOf(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  url.hostname = url.hostname.replace(/\.$/, '');
  return url.href.replaceAll(/%[\da-f]{2}/gi, (encoded) => {
    const character = String.fromCharCode(parseInt(encoded.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : encoded.toUpperCase();
  });
}

async function replaceAddresses(
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

export function rejectDuplicate(
  error: unknown,
  { name, jwksUrl }: { readonly name: string } & Pick<PartnerSettings, 'jwksUrl'>,
): never {
  const constraint = violatedConstraint(error);
  if (constraint === 'partners_pkey' || constraint === 'signing_keys_pkey') {
    throw new Rejection(`Partner ${name} exists already. Choose another --name.`);
  }
  if (constraint === 'token_issuers_pkey') {
    throw new Rejection(
      `Another partner has registered ${jwksUrl ?? 'this key set'} already. One key set belongs to one partner.`,
    );
  }
  if (constraint === 'partner_addresses_pkey') {
    throw new BadOption('--allow names one network twice. Name each once.');
  }
  if (constraint === 'logo_has_a_name') {
    throw new Rejection(
      'A logo needs a name beside it: give --display-name too, or remove the logo with --logo none.',
    );
  }
  // Networks are the only texts that Postgres parses here, and their format was checked before.
  if (systemCodeOf(error) === INVALID_TEXT_REPRESENTATION) {
    throw new BadOption(
      '--allow has bits beyond its prefix: instead of, say, 10.0.0.1/8 give 10.0.0.0/8 or 10.0.0.1/32.',
    );
  }
  throw error;
}

const INVALID_TEXT_REPRESENTATION = '22P02';
