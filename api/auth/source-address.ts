// Where a request came from (decision 22): the socket's peer, or what trusted proxies say, counted from the right.
import { BlockList, isIP, isIPv4, SocketAddress } from 'node:net';

/**
 * @param peer the socket's remote address
 * @param forwardedFor every value of X-Forwarded-For, in order
 * @param trustedHops proxies of ours in front; 0 ignores the header
 * @returns the address in its one usual spelling, IPv4-mapped IPv6 as IPv4, or undefined when it cannot be told
 */
export function sourceAddress(
  peer: string | undefined,
  forwardedFor: string,
  trustedHops: number,
): string | undefined {
  if (trustedHops === 0) return reduce(peer ?? '');
  // An empty element counts as a hop: a proxy of ours that could not tell must not make a stranger's word the next.
  const hop = forwardedFor.split(',').at(-trustedHops) ?? '';
  return reduce(hop.trim());
}

/** Tells whether an address lies in one of the CIDR blocks. A check takes 2 to 4 µs, so its result is not cached. */
export function createAddressMatcher(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    list.addSubnet(address, Number(prefix ?? (family === 'ipv4' ? 32 : 128)), family);
  }
  return (address) => list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}

function reduce(text: string): string | undefined {
  // A zone, as in fe80::1%eth0, names a link of this machine: no partner registers one.
  if (isIP(text) === 0 || text.includes('%')) return undefined;
  if (isIPv4(text)) return text;
  // Node spells an IPv6 address in one way, and the end of a mapped one as IPv4, also where it was sent in hex.
  const { address } = new SocketAddress({ address: text, family: 'ipv6' });
  return address.replace(/^::ffff:(?=[\d.]+$)/, '');
}
