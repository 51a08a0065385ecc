// Decision 114: the table of addresses that are not public, compared with a table written by hand.
import fc from 'fast-check';
import { isLocalhost, rangeOf } from '../../src/http/denied-addresses';

const nameOf = (address: string) => rangeOf(address)?.name ?? 'public';

/**
 * Name | first address | last address | the address before | the address after; a dash for none.
 */
const IPV4 = tableOf(`
  this network | 0.0.0.0 | 0.255.255.255 | - | 1.0.0.0 public
  private | 10.0.0.0 | 10.255.255.255 | 9.255.255.255 public | 11.0.0.0 public
  carrier-grade NAT | 100.64.0.0 | 100.127.255.255 | 100.63.255.255 public | 100.128.0.0 public
  cloud metadata | 100.100.100.200 | 100.100.100.200 | 100.100.100.199 carrier-grade NAT | 100.100.100.201 carrier-grade NAT
  loopback | 127.0.0.0 | 127.255.255.255 | 126.255.255.255 public | 128.0.0.0 public
  cloud metadata | 168.63.129.16 | 168.63.129.16 | 168.63.129.15 public | 168.63.129.17 public
  link-local | 169.254.0.0 | 169.254.255.255 | 169.253.255.255 public | 169.255.0.0 public
  cloud metadata | 169.254.169.254 | 169.254.169.254 | 169.254.169.253 link-local | 169.254.169.255 link-local
  private | 172.16.0.0 | 172.31.255.255 | 172.15.255.255 public | 172.32.0.0 public
  IETF protocol assignments | 192.0.0.0 | 192.0.0.255 | 191.255.255.255 public | 192.0.1.0 public
  cloud metadata | 192.0.0.192 | 192.0.0.192 | 192.0.0.191 IETF protocol assignments | 192.0.0.193 IETF protocol assignments
  documentation | 192.0.2.0 | 192.0.2.255 | 192.0.1.255 public | 192.0.3.0 public
  AS112 | 192.31.196.0 | 192.31.196.255 | 192.31.195.255 public | 192.31.197.0 public
  AMT | 192.52.193.0 | 192.52.193.255 | 192.52.192.255 public | 192.52.194.0 public
  6to4 relay | 192.88.99.0 | 192.88.99.255 | 192.88.98.255 public | 192.88.100.0 public
  private | 192.168.0.0 | 192.168.255.255 | 192.167.255.255 public | 192.169.0.0 public
  AS112 | 192.175.48.0 | 192.175.48.255 | 192.175.47.255 public | 192.175.49.0 public
  benchmarking | 198.18.0.0 | 198.19.255.255 | 198.17.255.255 public | 198.20.0.0 public
  documentation | 198.51.100.0 | 198.51.100.255 | 198.51.99.255 public | 198.51.101.0 public
  documentation | 203.0.113.0 | 203.0.113.255 | 203.0.112.255 public | 203.0.114.0 public
  multicast | 224.0.0.0 | 239.255.255.255 | 223.255.255.255 public | 240.0.0.0 reserved
  reserved | 240.0.0.0 | 255.255.255.254 | 239.255.255.255 multicast | 255.255.255.255 broadcast
  broadcast | 255.255.255.255 | 255.255.255.255 | 255.255.255.254 reserved | -
`);

const IPV6 = tableOf(`
  unspecified | :: | :: | - | ::1 loopback
  loopback | ::1 | ::1 | :: unspecified | ::2 IPv4-compatible
  IPv4-compatible | ::2 | ::255.255.255.255 | ::1 loopback | ::1:0:0 not global unicast
  IPv4-mapped | ::ffff:0.0.0.0 | ::ffff:255.255.255.255 | ::fffe:ffff:ffff not global unicast | ::1:0:0:0 not global unicast
  IPv4-translated | ::ffff:0:0.0.0.0 | ::ffff:0:255.255.255.255 | ::fffe:ffff:ffff:ffff not global unicast | ::ffff:1:0:0 not global unicast
  NAT64 | 64:ff9b:: | 64:ff9b::255.255.255.255 | 64:ff9a:ffff:ffff:ffff:ffff:ffff:ffff not global unicast | 64:ff9b::1:0:0 not global unicast
  local NAT64 | 64:ff9b:1:: | 64:ff9b:1:ffff:ffff:ffff:ffff:ffff | 64:ff9b:0:ffff:ffff:ffff:ffff:ffff not global unicast | 64:ff9b:2:: not global unicast
  discard-only | 100:: | 100::ffff:ffff:ffff:ffff | ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff not global unicast | 100:0:0:1:: dummy prefix
  dummy prefix | 100:0:0:1:: | 100:0:0:1:ffff:ffff:ffff:ffff | 100::ffff:ffff:ffff:ffff discard-only | 100:0:0:2:: not global unicast
  Teredo | 2001:: | 2001:0:ffff:ffff:ffff:ffff:ffff:ffff | 2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff public | 2001:1:: IETF protocol assignments
  benchmarking | 2001:2:: | 2001:2:0:ffff:ffff:ffff:ffff:ffff | 2001:1:ffff:ffff:ffff:ffff:ffff:ffff IETF protocol assignments | 2001:2:1:: IETF protocol assignments
  ORCHID | 2001:10:: | 2001:1f:ffff:ffff:ffff:ffff:ffff:ffff | 2001:f:ffff:ffff:ffff:ffff:ffff:ffff IETF protocol assignments | 2001:20:: ORCHIDv2
  ORCHIDv2 | 2001:20:: | 2001:2f:ffff:ffff:ffff:ffff:ffff:ffff | 2001:1f:ffff:ffff:ffff:ffff:ffff:ffff ORCHID | 2001:30:: IETF protocol assignments
  IETF protocol assignments | 2001:1:: | 2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff | 2001:0:ffff:ffff:ffff:ffff:ffff:ffff Teredo | 2001:200:: public
  documentation | 2001:db8:: | 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff | 2001:db7:ffff:ffff:ffff:ffff:ffff:ffff public | 2001:db9:: public
  6to4 | 2002:: | 2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff | 2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff public | 2003:: public
  AS112 | 2620:4f:8000:: | 2620:4f:8000:ffff:ffff:ffff:ffff:ffff | 2620:4f:7fff:ffff:ffff:ffff:ffff:ffff public | 2620:4f:8001:: public
  6bone | 3ffe:: | 3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff | 3ffd:ffff:ffff:ffff:ffff:ffff:ffff:ffff public | 3fff:: documentation
  documentation | 3fff:: | 3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff | 3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff 6bone | 3fff:1000:: public
  segment routing | 5f00:: | 5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff | 5eff:ffff:ffff:ffff:ffff:ffff:ffff:ffff not global unicast | 5f01:: not global unicast
  unique local | fc00:: | fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff | fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff not global unicast | fe00:: not global unicast
  cloud metadata | fd00:ec2:: | fd00:ec2:ffff:ffff:ffff:ffff:ffff:ffff | fd00:ec1:ffff:ffff:ffff:ffff:ffff:ffff unique local | fd00:ec3:: unique local
  cloud metadata | fd20:ce::254 | fd20:ce::254 | fd20:ce::253 unique local | fd20:ce::255 unique local
  link-local | fe80:: | febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff | fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff not global unicast | fec0:: site-local
  site-local | fec0:: | feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff | febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff link-local | ff00:: multicast
  multicast | ff00:: | ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff | feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff site-local | -
  not global unicast | 64:ff9b:2:: | 1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff | 64:ff9b:1:ffff:ffff:ffff:ffff:ffff local NAT64 | 2000:: public
  not global unicast | 4000:: | 5eff:ffff:ffff:ffff:ffff:ffff:ffff:ffff | 3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff public | 5f00:: segment routing
  not global unicast | 5f01:: | fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff | 5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff segment routing | fc00:: unique local
`);

interface Row {
  readonly name: string;
  readonly first: string;
  readonly last: string;
  readonly beside: readonly string[];
}

function tableOf(text: string): readonly Row[] {
  return text
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([name = '', first = '', last = '', ...beside]) => ({
      name,
      first,
      last,
      beside: beside.filter((cell) => cell !== '-'),
    }));
}

describe('the table', () => {
  it.each([...IPV4, ...IPV6])('has $name exactly from $first to $last', (row) => {
    expect([row.first, row.last].map(nameOf)).toEqual([row.name, row.name]);
    const found = row.beside.map((cell) => {
      const [address = ''] = cell.split(' ');
      return `${address} ${nameOf(address)}`;
    });
    expect(found).toEqual(row.beside);
  });

  it('has a source for each range', () => {
    expect(rangeOf('10.1.2.3')).toMatchObject({ block: '10.0.0.0/8', source: 'RFC 1918' });
    expect(rangeOf('fd00:ec2::254')).toMatchObject({ block: 'fd00:ec2::/32', source: 'AWS' });
  });

  it.each(['1.1.1.1', '8.8.8.8', '2606:4700:4700::1111', '2a00:1450:4001:800::200e'])(
    'has no range for %s, which is public',
    (address) => {
      expect(rangeOf(address)).toBeUndefined();
    },
  );

  it.each(['fe80::1%eth0', 'FE80::1%25', 'ff02::1%1', '::1%lo'])(
    'ignores the zone of %s',
    (address) => {
      expect(nameOf(address)).not.toBe('public');
    },
  );

  it.each([
    '',
    'localhost',
    'acme.example',
    '127.1',
    '0x7f000001',
    '[::1]',
    '1.1.1.1.',
    ' 1.1.1.1',
  ])('has "not an address" for %j', (text) => {
    expect(nameOf(text)).toBe('not an address');
  });
});

const anIpv4 = fc.nat(0xffff_ffff).map((bits) => toBytes(bits));
const toBytes = (bits: number) => [
  bits >>> 24,
  (bits >>> 16) & 255,
  (bits >>> 8) & 255,
  bits & 255,
];
const hex = (...bytes: readonly number[]) =>
  bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** IPv4 embedded in IPv6 as in RFC 4291, 2765, 6052, 8215, 3056 and 4380. */
const EMBEDDINGS: Readonly<Record<string, (bytes: readonly number[]) => string>> = {
  'IPv4-mapped': (bytes) => `::ffff:${bytes.join('.')}`,
  'IPv4-mapped, in hexadecimal': ([a = 0, b = 0, c = 0, d = 0]) =>
    `0:0:0:0:0:FFFF:${hex(a, b)}:${hex(c, d)}`,
  'IPv4-compatible': (bytes) => `::${bytes.join('.')}`,
  'IPv4-translated': (bytes) => `::ffff:0:${bytes.join('.')}`,
  NAT64: (bytes) => `64:ff9b::${bytes.join('.')}`,
  'local NAT64': (bytes) => `64:ff9b:1::${bytes.join('.')}`,
  'local NAT64 of 48 bits': ([a = 0, b = 0, c = 0, d = 0]) =>
    `64:ff9b:1:${hex(a, b)}:${hex(0, c)}:${hex(d, 0)}::`,
  '6to4': ([a = 0, b = 0, c = 0, d = 0]) => `2002:${hex(a, b)}:${hex(c, d)}::1`,
  'a Teredo client': (bytes) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.map((byte) => byte ^ 255);
    return `2001:0:4136:e378:8000:63bf:${hex(a, b)}:${hex(c, d)}`;
  },
  'a Teredo server': ([a = 0, b = 0, c = 0, d = 0]) => `2001:0:${hex(a, b)}:${hex(c, d)}::`,
};

describe('an IPv4 address', () => {
  it.each(Object.entries(EMBEDDINGS))('written as %s is never public', (_name, embed) => {
    fc.assert(
      fc.property(anIpv4, (bytes) => {
        expect(nameOf(embed(bytes))).not.toBe('public');
      }),
    );
  });

  it('is public exactly if no row of the table contains it', () => {
    const bounds = IPV4.map(({ first, last }) => [toNumber(first), toNumber(last)] as const);
    fc.assert(
      fc.property(anIpv4, (bytes) => {
        const bits = toNumber(bytes.join('.'));
        const isListed = bounds.some(([first, last]) => first <= bits && bits <= last);
        expect(nameOf(bytes.join('.')) !== 'public').toBe(isListed);
      }),
      { numRuns: 2_000 },
    );
  });
});

const toNumber = (address: string) =>
  address.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0);

describe('an IPv6 address', () => {
  it('is public only within 2000::/3', () => {
    const groups = fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(groups, (all) => {
        const [first = 0] = all;
        const isPublic = nameOf(all.map((group) => group.toString(16)).join(':')) === 'public';
        expect(isPublic && (first < 0x2000 || first > 0x3fff)).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a name', () => {
  it.each([
    ['localhost', true],
    ['LocalHost.', true],
    ['acme.localhost', true],
    ['a.b.localhost.', true],
    ['localhost.example', false],
    ['notlocalhost', false],
    ['.localhost', false],
    ['localhost..', false],
  ])('such as %s means loopback: %s', (name, expected) => {
    expect(isLocalhost(name)).toBe(expected);
  });
});
