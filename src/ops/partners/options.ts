// The options that `partners create` and `partners set` share, and the check of their values
// (decisions 26 and 114). Prod takes https and public addresses only; the sandbox also takes http
// and loopback addresses.
import { isIP, SocketAddress } from 'node:net';
import { isReturnScheme } from '../../domain/return-scheme';
import {
  createPartnerAddresses,
  writtenAddress,
  type PartnerAddressRules,
} from '../../http/partner-addresses';
import { collect } from '../option-values';
import { printNotice } from '../print';
import { BadOption } from '../rejection';
import { option } from '../verb';
import { parseDisplayName, parseLogo, PRESENTATION } from './presentation';

export type PartnerEnvironment = PartnerAddressRules['environment'];

export const ENVIRONMENTS = ['sandbox', 'prod'];
export const ALLOW = ['--allow <cidr>', 'a source address or CIDR block; repeat for more'] as const;
export const RETURN_SCHEME = option(
  '--return-scheme <scheme>',
  "the URL scheme of the partner's app; repeat for more, none for no scheme",
).argParser(collect);

/** Maximum ages of attestations (decision 9) and limits (decision 139) are off unless set. */
export const SETTINGS = [
  option(
    '--kyc-max-age <seconds>',
    'the maximum age of the KYC attestation in a token; "none" for any age',
  ),
  option(
    '--sanctions-max-age <seconds>',
    'the maximum age of the sanctions attestation in a token; "none" for any age',
  ),
  option(
    '--intents-per-second <count>',
    'how many intents may be created a second; "none" for no limit',
  ),
  option(
    '--usd-cents-per-day <cents>',
    'how much may be authorized a day (UTC); "none" for no limit',
  ),
  ...PRESENTATION,
];

/** The optional values, as they were typed. */
export interface PartnerSettings {
  readonly jwksUrl?: string | undefined;
  readonly allow?: readonly string[] | undefined;
  readonly webhookUrl?: string | undefined;
  readonly returnScheme?: readonly string[] | undefined;
  readonly kycMaxAge?: string | undefined;
  readonly sanctionsMaxAge?: string | undefined;
  readonly intentsPerSecond?: string | undefined;
  readonly usdCentsPerDay?: string | undefined;
  readonly displayName?: string | undefined;
  /** A file. */
  readonly logo?: string | undefined;
}

/** The checked values, named as partners are shown. A value that was not given is undefined. */
export type CheckedSettings = ReturnType<typeof checkSettings>;

/** @throws BadOption; it warns of an address list that allows too many */
export function checkSettings(settings: PartnerSettings, rules: PartnerAddressRules) {
  settings.allow?.forEach((block) => warnOfWide(block, rules.environment));
  return {
    jwks_url: checkAddress('--jwks-url', settings.jwksUrl, rules),
    networks: settings.allow?.map(parseNetwork),
    webhook_endpoint: checkAddress('--webhook-url', settings.webhookUrl, rules),
    return_schemes: parseReturnSchemes(settings.returnScheme),
    /** Null is any age. */
    kyc_max_age_seconds: parseMaximum('--kyc-max-age', settings.kycMaxAge),
    sanctions_max_age_seconds: parseMaximum('--sanctions-max-age', settings.sanctionsMaxAge),
    /** Null is no limit. */
    intents_per_second: parseMaximum('--intents-per-second', settings.intentsPerSecond),
    usd_cents_per_day: parseMaximum('--usd-cents-per-day', settings.usdCentsPerDay, USD_CENTS),
    /** Null is none. */
    display_name: parseDisplayName(settings.displayName),
    logo: parseLogo(settings.logo),
  };
}

/** Returns the text unchanged: `iss` is compared with it character for character (decision 8). */
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

/** A name is not resolved here: every call checks the addresses that the name has at that time. */
function rejectionOfName(url: URL, { networks = [] }: PartnerAddressRules): string | undefined {
  const isPlain = url.protocol === 'http:' && writtenAddress(url) === undefined;
  if (!isPlain || networks.length > 0) return undefined;
  return 'http is for loopback addresses, localhost and the networks that PARTNER_NETWORKS names';
}

/** The widest block without a warning. The sandbox may allow a whole private network. */
const WIDEST = { prod: { ipv4: 16, ipv6: 32 }, sandbox: { ipv4: 8, ipv6: 16 } } as const;

function warnOfWide(text: string, environment: PartnerEnvironment): void {
  const { bits, prefix } = parseBlock(parseNetwork(text));
  const { ipv4, ipv6 } = WIDEST[environment];
  const widest = bits === IPV6_BITS ? ipv6 : ipv4;
  if (prefix >= widest) return;
  printNotice(
    `--allow ${text} is wider than /${widest}: a stolen signing secret then works from all of it. Give the partner's own addresses.`,
  );
}

/** The database rejects bits beyond the prefix. */
function parseNetwork(text: string): string {
  const { address, bits, prefix } = parseBlock(text);
  if (address.includes('%')) {
    throw new BadOption(
      `--allow ${text} names a network interface (from "%" on), which no other machine knows. Give the address alone.`,
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

/**
 * Registers the IPv4 address behind an IPv4-mapped one, since requests arrive from it (decision
 * 22).
 */
function unmapped(text: string, ipv4: string, prefix: number): string {
  if (prefix >= MAPPED_BITS) return `${ipv4}/${prefix - MAPPED_BITS}`;
  throw new BadOption(
    `--allow ${text} holds every IPv4 address and more. Give the IPv4 addresses that are meant.`,
  );
}

/** `203.0.113.7` for `::ffff:203.0.113.7`, in any spelling. */
function mappedIpv4(ipv6: string): string | undefined {
  const { address } = new SocketAddress({ address: ipv6, family: 'ipv6' });
  return /^::ffff:([\d.]+)$/.exec(address)?.[1];
}

/** `none` removes all schemes. */
function parseReturnSchemes(given: readonly string[] | undefined): readonly string[] | undefined {
  const isNone = given?.length === 1 && given[0] === 'none';
  return isNone ? [] : given?.map(checkReturnScheme);
}

function checkReturnScheme(text: string): string {
  // Schemes compare without case (RFC 3986, section 3.1), so one form is stored.
  const scheme = text.toLowerCase();
  if (isReturnScheme(scheme)) return scheme;
  throw new BadOption(
    `--return-scheme ${text} is not the scheme of an app. Expected one such as acme-pay.`,
  );
}

const NO_MAXIMUM = 'none';
/** Postgres' greatest integer. */
const COUNT_MAX = 2_147_483_647;
/** Ten thousand million dollars. */
const USD_CENTS = 1_000_000_000_000;

function parseMaximum(
  option: string,
  text: string | undefined,
  greatest = COUNT_MAX,
): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === NO_MAXIMUM) return null;
  const count = /^\d{1,13}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= greatest) return count;
  throw new BadOption(
    `${option} ${text} is not a whole number from 1 to ${greatest}, and not "${NO_MAXIMUM}".`,
  );
}
