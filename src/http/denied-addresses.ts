// Addresses that are not public, which calls to partner URLs must never reach (decision 114). The
// rows come from the IANA special-purpose address registries, RFC 4291, and the documentation of
// cloud providers.
import { BlockList, isIP } from 'node:net';

export interface AddressRange {
  readonly name: string;
  /** The block in CIDR notation. */
  readonly block: string;
  readonly source: string;
}

export const LOOPBACK = 'loopback';
const PRIVATE = 'private';
const CARRIER_NAT = 'carrier-grade NAT';
const UNIQUE_LOCAL = 'unique local';
const METADATA = 'cloud metadata';

/**
 * The ranges used for private networks: PARTNER_NETWORKS may allow parts of these and of no others.
 */
export const NETWORK_RANGES: ReadonlySet<string> = new Set([PRIVATE, CARRIER_NAT, UNIQUE_LOCAL]);

type Row = readonly [name: string, block: string, source: string];

/** The first row that contains an address names it, so a block within another block comes first. */
const IPV4_ROWS: readonly Row[] = [
  ['this network', '0.0.0.0/8', 'RFC 791'],
  [PRIVATE, '10.0.0.0/8', 'RFC 1918'],
  [METADATA, '100.100.100.200/32', 'Alibaba Cloud'],
  [CARRIER_NAT, '100.64.0.0/10', 'RFC 6598'],
  [LOOPBACK, '127.0.0.0/8', 'RFC 1122'],
  // Reachable only from within that cloud, though the surrounding block is public.
  [METADATA, '168.63.129.16/32', 'Azure'],
  [METADATA, '169.254.169.254/32', 'AWS, Azure, Google Cloud and others'],
  ['link-local', '169.254.0.0/16', 'RFC 3927'],
  [PRIVATE, '172.16.0.0/12', 'RFC 1918'],
  [METADATA, '192.0.0.192/32', 'Oracle Cloud'],
  ['IETF protocol assignments', '192.0.0.0/24', 'RFC 6890'],
  ['documentation', '192.0.2.0/24', 'RFC 5737'],
  ['AS112', '192.31.196.0/24', 'RFC 7535'],
  ['AMT', '192.52.193.0/24', 'RFC 7450'],
  ['6to4 relay', '192.88.99.0/24', 'RFC 7526'],
  [PRIVATE, '192.168.0.0/16', 'RFC 1918'],
  ['AS112', '192.175.48.0/24', 'RFC 7534'],
  ['benchmarking', '198.18.0.0/15', 'RFC 2544'],
  ['documentation', '198.51.100.0/24', 'RFC 5737'],
  ['documentation', '203.0.113.0/24', 'RFC 5737'],
  ['multicast', '224.0.0.0/4', 'RFC 5771'],
  ['broadcast', '255.255.255.255/32', 'RFC 919'],
  ['reserved', '240.0.0.0/4', 'RFC 1112'],
];

/**
 * All forms of IPv4 embedded in IPv6 are denied: no partner is reachable only by such an address.
 */
const IPV6_ROWS: readonly Row[] = [
  ['unspecified', '::/128', 'RFC 4291'],
  [LOOPBACK, '::1/128', 'RFC 4291'],
  ['IPv4-compatible', '::/96', 'RFC 4291'],
  ['IPv4-mapped', '::ffff:0:0/96', 'RFC 4291'],
  ['IPv4-translated', '::ffff:0:0:0/96', 'RFC 2765'],
  ['NAT64', '64:ff9b::/96', 'RFC 6052'],
  ['local NAT64', '64:ff9b:1::/48', 'RFC 8215'],
  ['discard-only', '100::/64', 'RFC 6666'],
  ['dummy prefix', '100:0:0:1::/64', 'RFC 9780'],
  ['Teredo', '2001::/32', 'RFC 4380'],
  ['benchmarking', '2001:2::/48', 'RFC 5180'],
  ['ORCHID', '2001:10::/28', 'RFC 4843'],
  ['ORCHIDv2', '2001:20::/28', 'RFC 7343'],
  ['IETF protocol assignments', '2001::/23', 'RFC 2928'],
  ['documentation', '2001:db8::/32', 'RFC 3849'],
  ['6to4', '2002::/16', 'RFC 3056'],
  ['AS112', '2620:4f:8000::/48', 'RFC 7534'],
  ['6bone', '3ffe::/16', 'RFC 3701'],
  ['documentation', '3fff::/20', 'RFC 9637'],
  ['segment routing', '5f00::/16', 'RFC 9602'],
  // The whole block, not only the metadata at ::254: it also serves time, DNS and credentials.
  [METADATA, 'fd00:ec2::/32', 'AWS'],
  [METADATA, 'fd20:ce::254/128', 'Google Cloud'],
  [UNIQUE_LOCAL, 'fc00::/7', 'RFC 4193'],
  ['link-local', 'fe80::/10', 'RFC 4291'],
  ['site-local', 'fec0::/10', 'RFC 3879'],
  ['multicast', 'ff00::/8', 'RFC 4291'],
  // The rest outside 2000::/3, the only block from which public addresses are assigned.
  ['not global unicast', '::/3', 'RFC 4291'],
  ['not global unicast', '4000::/2', 'RFC 4291'],
  ['not global unicast', '8000::/1', 'RFC 4291'],
];

const toRange = ([name, block, source]: Row) => {
  return { name, block, source, list: toBlockList([block]) };
};

/**
 * One list per family: in a common list the rule for mapped IPv6 would match every IPv4 address.
 */
const RANGES = { ipv4: IPV4_ROWS.map(toRange), ipv6: IPV6_ROWS.map(toRange) };

/** @throws Error when a block is not in CIDR notation */
export function toBlockList(blocks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const block of blocks) {
    const [network = '', prefix] = block.split('/');
    list.addSubnet(network, Number(prefix), familyOf(network));
  }
  return list;
}

export function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

const NO_ADDRESS: AddressRange = { name: 'not an address', block: '', source: 'node:net' };

/** The range that contains the address; undefined when it is public. Other text is not public. */
export function rangeOf(address: string): AddressRange | undefined {
  if (isIP(address) === 0) return NO_ADDRESS;
  const family = familyOf(address);
  return RANGES[family].find(({ list }) => list.check(address, family));
}

/** Such a name means loopback and needs no look-up (RFC 6761, section 6.3). */
export function isLocalhost(name: string): boolean {
  return /^(?:.+\.)?localhost\.?$/i.test(name);
}
