// The source address of requests (protocol 3.5; decisions 22 and 27).
import fc from 'fast-check';
import { createAddressMatcher, sourceAddress } from '../../../api/auth/source-address';
import { pathOf } from '../../support/app';
import { withApp, withDatabase, withPartner } from '../../support/brackets';
import { anIntent } from '../../support/builders';
import { aPartner, sign } from '../../support/payments/partner';
import { rawRequest, type RawHeaders } from '../../support/http/raw-http';

const bed = withDatabase();
const app = withApp(bed);
const behindProxy = withApp(bed, () => ({ settings: { trustedProxyHops: 1 } }));
const partner = withPartner(bed, { allow: ['203.0.113.7'] });
let path: string;
beforeAll(async () => {
  const caller = partner.caller({ address: '203.0.113.7' });
  path = pathOf(await anIntent(bed, partner, { caller }));
});

describe('the source address of a signed request', () => {
  it('that is not registered is 401, even if X-Forwarded-For names a registered one', async () => {
    const headers = { 'X-Forwarded-For': '203.0.113.7' };
    app.rejections.length = 0;
    expect(await app.sendSigned(partner, { path })).toMatchObject({ status: 401 });
    expect(await app.sendSigned(partner, { path, headers })).toMatchObject({ status: 401 });
    expect(app.rejections).toEqual([
      'source_address_not_registered',
      'source_address_not_registered',
    ]);
  });

  it.each([
    ['203.0.113.7', 200],
    ['198.51.100.1, 203.0.113.7', 200],
    ['203.0.113.7:54321', 200],
    ['[203.0.113.7]', 401],
    ['[::ffff:203.0.113.7]:443', 200],
    ['203.0.113.7, 198.51.100.1', 401],
    ['::ffff:203.0.113.7', 200],
    ['::FFFF:cb00:7107', 200],
    ['', 401],
    ['nonsense', 401],
    ['203.0.113.7,', 401],
    [`${'203.0.113.7, '.repeat(2_000)}198.51.100.1`, 401],
    [`${','.repeat(20_000)}203.0.113.7`, 200],
  ])('behind one trusted proxy that says "%s" answers %d', async (forwarded, status) => {
    const headers = { 'X-Forwarded-For': forwarded };
    expect(await behindProxy.sendSigned(partner, { path, headers })).toMatchObject({ status });
  });

  it('behind a proxy that adds its own header comes from the last header', async () => {
    const answers = async (forwarded: readonly string[]) => {
      const headers = { 'X-Forwarded-For': forwarded };
      return (await behindProxy.sendSigned(partner, { path, headers })).status;
    };
    expect(await answers(['198.51.100.1', '203.0.113.7'])).toBe(200);
    expect(await answers(['203.0.113.7', '198.51.100.1'])).toBe(401);
  });

  it('behind a proxy is found after any number of headers of the client', async () => {
    const getRaw = (own: string, added: string) => {
      const signed = Object.entries(sign(partner, { method: 'GET', path }));
      const many: RawHeaders = Array.from({ length: 1_500 }, (_, n) => [`a${String(n)}`, '']);
      const forwarded = [own, added].map((address) => ['X-Forwarded-For', address] as const);
      const headers = [...forwarded.slice(0, 1), ...signed, ...many, ...forwarded.slice(1)];
      return behindProxy.sendRaw(rawRequest(`GET ${path} HTTP/1.1`, headers));
    };
    expect(await getRaw('198.51.100.1', '203.0.113.7')).toMatchObject([{ status: 200 }]);
    expect(await getRaw('203.0.113.7', '198.51.100.1')).toMatchObject([{ status: 401 }]);
  });

  it('behind a proxy that sends no address is 401', async () => {
    const local = await aPartner(bed, { allow: ['127.0.0.1', '203.0.113.7'] });
    expect(await behindProxy.sendSigned(local, { path })).toMatchObject({ status: 401 });
  });
});

describe('the source address', () => {
  it.each([
    ['127.0.0.1', '', 0, '127.0.0.1'],
    ['::ffff:127.0.0.1', '', 0, '127.0.0.1'],
    ['::1', '', 0, '::1'],
    [undefined, '', 0, undefined],
    ['10.0.0.1', '1.1.1.1, 2.2.2.2', 0, '10.0.0.1'],
    ['10.0.0.1', '1.1.1.1, 2.2.2.2', 1, '2.2.2.2'],
    ['10.0.0.1', '1.1.1.1,2.2.2.2', 2, '1.1.1.1'],
    ['10.0.0.1', '1.1.1.1', 2, undefined],
    ['10.0.0.1', '1.1.1.1:54321', 1, '1.1.1.1'],
    ['10.0.0.1', '1.1.1.1:54321, 2.2.2.2:80', 2, '1.1.1.1'],
    ['10.0.0.1', '[2001:db8::1]', 1, '2001:db8::1'],
    ['10.0.0.1', '[2001:0DB8::1]:443', 1, '2001:db8::1'],
    ['10.0.0.1', '[::ffff:203.0.113.7]:443', 1, '203.0.113.7'],
    ['10.0.0.1', '2001:db8::1:443', 1, '2001:db8::1:443'],
    ['1.1.1.1:54321', '', 0, undefined],
    ['[2001:db8::1]', '', 0, undefined],
    ['10.0.0.1', '1.1.1.1:', 1, undefined],
    ['10.0.0.1', '1.1.1.1:http', 1, undefined],
    ['10.0.0.1', '1.1.1.1:80:80', 1, undefined],
    ['10.0.0.1', '[1.1.1.1]:80', 1, undefined],
    ['10.0.0.1', '[2001:db8::1', 1, undefined],
    ['10.0.0.1', '[2001:db8::1]443', 1, undefined],
    ['10.0.0.1', '[fe80::1%eth0]:443', 1, undefined],
    ['10.0.0.1', '127.000.000.001:80', 1, undefined],
    ['10.0.0.1', 'unknown:80', 1, undefined],
    ['10.0.0.1', '_hidden', 1, undefined],
    ['10.0.0.1', ':80', 1, undefined],
    ['10.0.0.1', '1.1.1.1, , 2.2.2.2', 1, '2.2.2.2'],
    ['10.0.0.1', '1.1.1.1, , 2.2.2.2', 2, undefined],
    ['10.0.0.1', '1.1.1.1, , 2.2.2.2', 3, '1.1.1.1'],
    ['10.0.0.1', '1.1.1.1,', 1, undefined],
    ['10.0.0.1', '\t1.1.1.1\t', 1, '1.1.1.1'],
    ['10.0.0.1', '01.1.1.1', 1, undefined],
    ['10.0.0.1', '1.1.1', 1, undefined],
    ['10.0.0.1', '0x1.1.1.1', 1, undefined],
    ['10.0.0.1', 'unknown', 1, undefined],
    ['10.0.0.1', 'fe80::1%eth0', 1, undefined],
    ['::ffff:cb00:7107', '', 0, '203.0.113.7'],
    ['0:0:0:0:0:FFFF:CB00:7107', '', 0, '203.0.113.7'],
    ['::ffff:203.0.113.7%1', '', 0, undefined],
    ['::203.0.113.7', '', 0, '::203.0.113.7'],
    ['2001:0DB8:0000::0001', '', 0, '2001:db8::1'],
  ])('of peer %s, forwarded "%s", %d hops is %s', (peer, forwarded, hops, expected) => {
    expect(sourceAddress(peer, forwarded, hops)).toBe(expected);
  });

  it.each([
    [['203.0.113.0/24'], '203.0.113.255', true],
    [['203.0.113.0/24'], '203.0.114.0', false],
    [['203.0.113.7/32'], '203.0.113.7', true],
    [['203.0.113.7'], '203.0.113.8', false],
    [['2001:db8::/48'], '2001:db8:0:ffff::1', true],
    [['2001:db8::/48'], '2001:db8:1::1', false],
    [['0.0.0.0/0'], '8.8.8.8', true],
    [['0.0.0.0/0'], '::1', false],
    [[], '127.0.0.1', false],
  ])('networks %p contain %s: %p', (networks, address, expected) => {
    expect(createAddressMatcher(networks)(address)).toBe(expected);
  });
});

describe('one address', () => {
  const group = fc.oneof(fc.constant(0), fc.nat(0xffff));
  const groups = fc.array(group, { minLength: 8, maxLength: 8 });
  const write = (parts: readonly number[], format: (part: number) => string) =>
    parts.map(format).join(':');
  const short = (part: number) => part.toString(16);

  it('of IPv6 is the same in every notation, and lies in its own network', () => {
    fc.assert(
      fc.property(groups, (parts) => {
        const dotted = parts.slice(6).flatMap((part) => [part >> 8, part & 0xff]);
        const notations = [
          write(parts, short),
          write(parts, (part) => short(part).toUpperCase()),
          write(parts, (part) => short(part).padStart(4, '0')),
          `${write(parts.slice(0, 6), short)}:${dotted.join('.')}`,
        ];
        const [one, ...others] = new Set(notations.map((text) => sourceAddress(text, '', 0)));
        expect(others).toEqual([]);
        expect(createAddressMatcher([write(parts, short)])(one ?? '')).toBe(true);
        expect(sourceAddress(one, '', 0)).toBe(one);
      }),
    );
  });

  it('of IPv4 is the same when mapped into IPv6, in decimal or in hex', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
        const hex = write([a * 256 + b, c * 256 + d], short);
        const notations = [address, `::ffff:${address}`, `::ffff:${hex}`, `0:0:0:0:0:FFFF:${hex}`];
        const read = notations.map((text) => sourceAddress(text, '', 0));
        expect(new Set(read)).toEqual(new Set([address]));
      }),
    );
  });

  it('in a list is counted from the right, whatever stands before it', () => {
    const junk = fc.array(fc.string());
    const trusted = fc.array(fc.ipV4(), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(junk, trusted, (before, proxies) => {
        const list = [...before, ...proxies].join(',');
        expect(sourceAddress('10.0.0.1', list, proxies.length)).toBe(proxies[0]);
      }),
    );
  });
});
