// The source address of a request (decision 22): the socket's peer, or the X-Forwarded-For entry
// that the outermost trusted proxy has added, counted from the right.
import { BlockList, isIP, isIPv4, SocketAddress } from 'node:net';

/**
 * @param peer the socket's remote address
 * @param forwardedFor every value of X-Forwarded-For, in order
 * @param trustedHops number of our own proxies in front; 0 ignores the header
 * @returns the address in normal form, IPv4-mapped IPv6 as IPv4; undefined when it is not known
 */
export function sourceAddress(
  peer: string | undefined,
  forwardedFor: string,
  trustedHops: number,
): string | undefined {
  if (trustedHops === 0) return reduce(peer ?? '');
  // An empty entry counts as a hop: if our proxy left it empty, an entry written by a stranger must
  // not take its place.
  const hop = forwardedFor.split(',').at(-trustedHops) ?? '';
  return reduce(withoutPort(hop.trim()));
}

/** Some gateways add a port, and brackets around IPv6 (as RFC 7239, section 6, writes both). */
function withoutPort(hop: string): string {
  const [, ipv4, ipv6] = /^(?:([\d.]+)|\[([\da-f.]*:[\da-f.:]*)\])(?::\d{1,5})?$/i.exec(hop) ?? [];
  return ipv4 ?? ipv6 ?? hop;
}

/** Matches addresses in the CIDR blocks. A check takes 2 to 4 µs, so results are not cached. */
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
  // A zone, as in fe80::1%eth0, names a network link of this machine: no partner registers one.
  if (isIP(text) === 0 || text.includes('%')) return undefined;
  if (isIPv4(text)) return text;
  // Node writes every IPv6 address in one form; a mapped one ends as IPv4, even if sent in hex.
  const { address } = new SocketAddress({ address: text, family: 'ipv6' });
  return address.replace(/^::ffff:(?=[\d.]+$)/, '');
}
