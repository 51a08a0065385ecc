// Where a request came from (decision 22): the socket's peer, or what trusted proxies say, counted from the right.
import { BlockList, isIP, isIPv4 } from 'node:net';

/**
 * @param peer the socket's remote address
 * @param forwardedFor every value of X-Forwarded-For, in order
 * @param trustedHops proxies of ours in front; 0 ignores the header
 * @returns the address, IPv4-mapped IPv6 reduced to IPv4, or undefined when it cannot be told
 */
export function sourceAddress(
  peer: string | undefined,
  forwardedFor: string,
  trustedHops: number,
): string | undefined {
  if (trustedHops === 0) return reduce(peer ?? '');
  const hops = forwardedFor.split(',').map((hop) => hop.trim());
  return reduce(hops.at(-trustedHops) ?? '');
}

/** Whether an address lies in one of the CIDR blocks. */
export function createAddressMatcher(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    list.addSubnet(address, Number(prefix ?? (family === 'ipv4' ? 32 : 128)), family);
  }
  return (address) => list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}

function reduce(address: string): string | undefined {
  const text = address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
  // A zone, as in fe80::1%eth0, names a link of this machine: no partner registers one.
  return isIP(text) === 0 || text.includes('%') ? undefined : text;
}
