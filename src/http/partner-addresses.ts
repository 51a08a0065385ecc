// Which of the addresses that partners give are called (decisions 26 and 114). In prod: https, and public ones only. In the
// sandbox loopback too, and what PARTNER_NETWORKS names; plain http goes to these two and nowhere else.
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
  /** CIDR blocks of PARTNER_NETWORKS; without meaning in prod. */
  readonly networks?: readonly string[] | undefined;
}

export interface PartnerAddresses {
  /** Why nothing is connected to the address by this scheme, fit for operations; undefined when it may be. */
  rejectionOf(address: string, protocol: string): string | undefined;
  /** Likewise, of a URL as it is written. The addresses of a name are judged by `rejectionOf` when they are known. */
  rejectionOfUrl(url: URL): string | undefined;
}

export function createPartnerAddresses(rules: PartnerAddressRules): PartnerAddresses {
  const isSandbox = rules.environment === 'sandbox';
  const networks = toBlockList(isSandbox ? (rules.networks ?? []) : []);
  const isNear = (address: string, range: AddressRange | undefined) => {
    if (range?.name === LOOPBACK) return isSandbox;
    const isNetwork = range === undefined || NETWORK_RANGES.has(range.name);
    return isNetwork && networks.check(address, familyOf(address));
  };
  const rejectionOf = (address: string, protocol: string) => {
    const range = rangeOf(address);
    if (isNear(address, range)) return undefined;
    if (range !== undefined) {
      return `the address ${address} is not public (${range.name}, ${range.source})`;
    }
    return protocol === 'https:' ? undefined : `the address ${address} is called by https only`;
  };
  return {
    rejectionOf,
    rejectionOfUrl(url) {
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
 * The address that the URL names without anybody being asked; undefined where it names a name. The URL parser has brought
 * every spelling (127.1, 0x7f.1, 2130706433) into the one that net knows.
 */
export function writtenAddress({ hostname }: URL): string | undefined {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) !== 0) return host;
  return isLocalhost(host) ? '127.0.0.1' : undefined;
}
