// What `partners create` and `partners set` give to their decision, and the sentences for violated
// constraints.
import { systemCodeOf } from '../../domain/errors';
import { acceptedIssuers } from '../../domain/issuers';
import { readOne, readRows, violatedConstraint, type Queryable } from '../../postgres/database';
import type { CheckedSettings, PartnerSettings } from './options';
import { BadOption, Rejection } from '../rejection';

/**
 * Settings as a decision names them: with the issuers of a key set, networks as Postgres spells
 * them, and a logo's bytes.
 * @throws Rejection if another partner has the key set in another spelling
 */
export async function givenSettings(
  connection: Queryable,
  { partnerId, environment }: Readonly<Record<'partnerId' | 'environment', string>>,
  { logo, networks, ...settings }: CheckedSettings,
): Promise<object> {
  const { jwks_url: jwksUrl } = settings;
  if (jwksUrl !== undefined) {
    const others = await readRows<{ readonly issuer: string }>(connection, {
      text: `select issuer from token_issuers where environment = $1 and partner_id <> $2`,
      values: [environment, partnerId],
    });
    rejectOtherSpelling(jwksUrl, others);
  }
  return {
    ...settings,
    ...(jwksUrl !== undefined && { issuers: acceptedIssuers(jwksUrl) }),
    ...(networks !== undefined && { networks: await spelledNetworks(connection, networks) }),
    ...(logo !== undefined && { logo_png: logo === null ? null : `\\x${logo.toString('hex')}` }),
  };
}

async function spelledNetworks(
  connection: Queryable,
  networks: readonly string[],
): Promise<readonly string[]> {
  const { spelled } = await readOne<{ readonly spelled: readonly string[] }>(connection, {
    text: 'select array(select unnest($1::cidr[])::text) as spelled',
    values: [networks],
  });
  if (new Set(spelled).size < spelled.length) {
    throw new BadOption('--allow names one network twice. Name each once.');
  }
  return spelled;
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
