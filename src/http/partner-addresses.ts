// Decides which partner addresses may be called (decisions 26 and 114). In prod: only https to
// public addresses. In the sandbox also loopback and PARTNER_NETWORKS, and plain http only to these
// two.
import { isIP } from 'node:net';
import {
  familyOf,
  isLocalhost,
  LOOPBACK,
  NETWORK_RANGES,
  rangeOf,
  toBlockList,
  type AddressRange,
} from './denied-addresses';

export interface PartnerAddressRules {
  readonly environment: 'sandbox' | 'prod';
  /** CIDR blocks of PARTNER_NETWORKS; ignored in prod. */
  readonly networks?: readonly string[] | undefined;
}

export function createPartnerAddresses(rules: PartnerAddressRules) {
  const isSandbox = rules.environment === 'sandbox';
  const networks = toBlockList(isSandbox ? (rules.networks ?? []) : []);
  const isAllowedNetwork = (address: string, range: AddressRange | undefined) => {
    if (range?.name === LOOPBACK) return isSandbox;
    const isNetwork = range === undefined || NETWORK_RANGES.has(range.name);
    return isNetwork && networks.check(address, familyOf(address));
  };
  /** Why the address is denied for this scheme, as text for operators; undefined when allowed. */
  const rejectionOf = (address: string, protocol: string): string | undefined => {
    const range = rangeOf(address);
    if (isAllowedNetwork(address, range)) return undefined;
    if (range !== undefined) {
      return `the address ${address} is not public (${range.name}, ${range.source})`;
    }
    return protocol === 'https:' ? undefined : `the address ${address} is called by https only`;
  };
  return {
    rejectionOf,
    /** The same for a URL as written. Addresses of a host name are checked by `rejectionOf`. */
    rejectionOfUrl(url: URL): string | undefined {
      const schemes = isSandbox ? ['https:', 'http:'] : ['https:'];
      if (!schemes.includes(url.protocol)) {
        return isSandbox ? 'the address is neither https nor http' : 'the address is not https';
      }
      const address = writtenAddress(url);
      return address === undefined ? undefined : rejectionOf(address, url.protocol);
    },
  };
}

/**
 * The IP address written in the URL; undefined when the host is a name that needs a look-up. The
 * URL parser has already normalized every notation (127.1, 0x7f.1, 2130706433).
 */
export function writtenAddress({ hostname }: URL): string | undefined {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) !== 0) return host;
  return isLocalhost(host) ? '127.0.0.1' : undefined;
}
