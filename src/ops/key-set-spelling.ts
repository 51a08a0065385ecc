// One key set belongs to one partner, however its address is spelled. What is registered stays as it was given, since `iss`
// is compared character for character (decision 8); only this question looks through the spelling.
import type { Queryable } from '../postgres/database';
import { acceptedIssuers, type Issuers } from './partner-rows';
import { Refusal } from './refusal';

/**
 * The caller's transaction holds the directory, so nobody registers another spelling meanwhile.
 * @throws Refusal when another partner of the environment accepts an issuer that means the same address
 */
export async function refuseOtherSpelling(
  connection: Queryable,
  { partnerId, environment, jwksUrl }: Issuers,
): Promise<void> {
  const wished = new Set(acceptedIssuers(jwksUrl).map(meaningOf));
  const { rows } = await connection.query<{ readonly issuer: string }>({
    text: `select issuer from token_issuers where environment = $1 and partner_id <> $2`,
    values: [environment, partnerId],
  });
  const taken = rows.find(({ issuer }) => wished.has(meaningOf(issuer)));
  if (taken === undefined) return;
  const spelled = acceptedIssuers(jwksUrl).includes(taken.issuer)
    ? ''
    : `, spelled ${taken.issuer}`;
  throw new Refusal(
    `Another partner has registered ${jwksUrl} already${spelled}. One key set belongs to one partner.`,
  );
}

/**
 * The address as a fetch understands it. The URL parser writes scheme and host in lower case and in ASCII, drops the usual
 * port and resolves dots; left to us are the dot behind a host, and percent-encoding that means the character itself.
 */
function meaningOf(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  url.hostname = url.hostname.replace(/\.$/, '');
  return url.href.replaceAll(/%[\da-f]{2}/gi, decodeUnreserved);
}

function decodeUnreserved(encoded: string): string {
  const character = String.fromCharCode(parseInt(encoded.slice(1), 16));
  return /[\w.~-]/.test(character) ? character : encoded.toUpperCase();
}
