// What a partner may be registered with (decisions 26 and 114): in prod addresses are https and public, in the sandbox
// loopback and http will do.
import { isIP } from 'node:net';
import { isReturnScheme } from '../../domain/return-scheme';
import {
  createPartnerAddresses,
  writtenAddress,
  type PartnerAddressRules,
} from '../../http/partner-addresses';
import { BadOption } from '../rejection';

export type PartnerEnvironment = PartnerAddressRules['environment'];

/** The options of `partners create` and `partners set` that may be left out, as they were typed. */
export interface PartnerSettings {
  readonly jwksUrl?: string | undefined;
  readonly allow?: readonly string[] | undefined;
  readonly webhookUrl?: string | undefined;
  readonly returnScheme?: readonly string[] | undefined;
  readonly kycMaxAge?: string | undefined;
  readonly sanctionsMaxAge?: string | undefined;
}

/** The same, found acceptable, by the names that partners are shown with. What was not given is undefined. */
export type CheckedSettings = ReturnType<typeof checkSettings>;

/** @throws BadOption */
export function checkSettings(settings: PartnerSettings, rules: PartnerAddressRules) {
  return {
    jwks_url: checkAddress('--jwks-url', settings.jwksUrl, rules),
    networks: settings.allow?.map(parseNetwork),
    webhook_endpoint: checkAddress('--webhook-url', settings.webhookUrl, rules),
    return_schemes: parseReturnSchemes(settings.returnScheme),
    /** Null is any age. */
    kyc_max_age_seconds: parseMaxAge('--kyc-max-age', settings.kycMaxAge),
    sanctions_max_age_seconds: parseMaxAge('--sanctions-max-age', settings.sanctionsMaxAge),
  };
}

/** The text is kept as it was given: `iss` is compared with it character for character (decision 8). */
export function checkAddress(
  option: string,
  text: string | undefined,
  rules: PartnerAddressRules,
): string | undefined {
  if (text === undefined) return undefined;
  if (!URL.canParse(text) || /\s/.test(text))
    throw new BadOption(`${option} ${text} is not a URL.`);
  const url = new URL(text);
  if ([url.username, url.password, url.hash].some((part) => part !== '')) {
    throw new BadOption(`${option} may hold neither credentials nor a fragment.`);
  }
  const rejection =
    createPartnerAddresses(rules).rejectionOfUrl(url) ?? rejectionOfName(url, rules);
  if (rejection === undefined) return text;
  throw new BadOption(`${option} ${text} cannot be used in ${rules.environment}: ${rejection}.`);
}

/** A name is not looked up here: whatever it is now, every call judges the addresses that it has then. */
function rejectionOfName(url: URL, { networks = [] }: PartnerAddressRules): string | undefined {
  const isPlain = url.protocol === 'http:' && writtenAddress(url) === undefined;
  if (!isPlain || networks.length > 0) return undefined;
  return 'http is for loopback addresses, localhost and the networks that PARTNER_NETWORKS names';
}

/** Bits beyond the prefix are refused by the database. */
function parseNetwork(text: string): string {
  const { address, bits, prefix } = parseBlock(text);
  if (address.includes('%')) {
    throw new BadOption(
      `--allow ${text} names a network interface (from "%" on), which no other machine knows: give the address alone.`,
    );
  }
  const ipv4 = bits === IPV6_BITS ? mappedIpv4(address) : undefined;
  return ipv4 === undefined ? text : unmapped(text, ipv4, prefix);
}

const IPV4_BITS = 32;
const IPV6_BITS = 128;

function parseBlock(text: string) {
  const [, address = '', given] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const bits = isIP(address) === 6 ? IPV6_BITS : IPV4_BITS;
  const prefix = Number(given ?? bits);
  if (isIP(address) === 0 || prefix > bits) {
    throw new BadOption(
      `--allow ${text} is not an address or CIDR block, such as 203.0.113.7 or 2001:db8::/48.`,
    );
  }
  return { address, bits, prefix };
}

const MAPPED_BITS = 96;

/** Requests arrive from the IPv4 address that an IPv4-mapped one means (decision 22), so that one is registered. */
function unmapped(text: string, ipv4: string, prefix: number): string {
  if (prefix >= MAPPED_BITS) return `${ipv4}/${prefix - MAPPED_BITS}`;
  throw new BadOption(
    `--allow ${text} holds every IPv4 address and more: give the IPv4 addresses that are meant.`,
  );
}

/** `203.0.113.7` of `::ffff:203.0.113.7`, however that is written. */
function mappedIpv4(ipv6: string): string | undefined {
  const { hostname } = new URL(`http://[${ipv6}]`);
  const [, high, low] = /^\[::ffff:([\da-f]+):([\da-f]+)\]$/.exec(hostname) ?? [];
  if (high === undefined || low === undefined) return undefined;
  return [high, low]
    .map((group) => parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.');
}

/** `none` takes all of them away, as it does for the ages of attestations. */
function parseReturnSchemes(given: readonly string[] | undefined): readonly string[] | undefined {
  const isNone = given?.length === 1 && given[0] === 'none';
  return isNone ? [] : given?.map(checkReturnScheme);
}

function checkReturnScheme(text: string): string {
  if (isReturnScheme(text)) return text;
  throw new BadOption(`--return-scheme ${text} is not a scheme of an app, such as acme-pay.`);
}

const NO_MAX_AGE = 'none';
/** What the column can hold. */
const MAX_AGE_MAX_SECONDS = 2_147_483_647;

function parseMaxAge(option: string, text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === NO_MAX_AGE) return null;
  const seconds = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (seconds >= 1 && seconds <= MAX_AGE_MAX_SECONDS) return seconds;
  throw new BadOption(
    `${option} ${text} is neither a whole number of seconds from 1 to ${MAX_AGE_MAX_SECONDS} nor "${NO_MAX_AGE}".`,
  );
}
