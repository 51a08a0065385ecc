// Spec: "Requests to the REST API must originate from an allowlisted source IP registered per partner"; decisions 22 and 27.
import { createAddressMatcher, sourceAddress } from '../../api/auth/source-address';
import { anIntent, openTestBed, type TestBed } from '../support/builders';
import { startApp, type TestApp } from '../support/app';
import { NOON, secondsAfter } from '../support/clock';
import { aPartner, type TestPartner } from '../support/partner';

let bed: TestBed;
let app: TestApp;
let behindProxy: TestApp;

beforeAll(async () => {
  bed = await openTestBed();
  app = await startApp(bed);
  behindProxy = await startApp(bed, { settings: { trustedProxyHops: 1 } });
});
afterAll(async () => {
  await Promise.all([app.close(), behindProxy.close()]);
  await bed.close();
});
beforeEach(() => bed.setNow(NOON));

const pathFor = async (partner: TestPartner) =>
  `/v1/payment_intents/${(await anIntent(bed, partner, { caller: partner.caller({ address: '203.0.113.7' }) })).intentId}`;

describe('the source address of a signed request', () => {
  it('that is not registered is 401, whatever X-Forwarded-For says', async () => {
    const partner = await aPartner(bed, { allow: ['203.0.113.7'] });
    const path = await pathFor(partner);
    const headers = { 'X-Forwarded-For': '203.0.113.7' };
    app.refusals.length = 0;
    expect(await app.sendSigned(partner, { path })).toMatchObject({ status: 401 });
    expect(await app.sendSigned(partner, { path, headers })).toMatchObject({ status: 401 });
    expect(app.refusals).toEqual([
      'source_address_not_registered',
      'source_address_not_registered',
    ]);
  });

  it.each([
    ['203.0.113.7', 200],
    ['198.51.100.1, 203.0.113.7', 200],
    ['203.0.113.7, 198.51.100.1', 401],
    ['::ffff:203.0.113.7', 200],
    ['', 401],
    ['nonsense', 401],
  ])('behind one trusted proxy that says "%s" answers %d', async (forwarded, status) => {
    const partner = await aPartner(bed, { allow: ['203.0.113.7'] });
    const path = await pathFor(partner);
    const headers = { 'X-Forwarded-For': forwarded };
    expect(await behindProxy.sendSigned(partner, { path, headers })).toMatchObject({ status });
  });

  it('behind a proxy that says nothing is 401', async () => {
    const partner = await aPartner(bed, { allow: ['127.0.0.1', '203.0.113.7'] });
    const path = await pathFor(partner);
    expect(await behindProxy.sendSigned(partner, { path })).toMatchObject({ status: 401 });
  });

  it('that is removed is refused at once, though the key row may be some seconds old', async () => {
    const partner = await aPartner(bed, { allow: ['127.0.0.1', '203.0.113.7'] });
    const path = await pathFor(partner);
    expect(await app.sendSigned(partner, { path })).toMatchObject({ status: 200 });
    await bed.database.query({
      text: `delete from partner_addresses where partner_id = $1 and network = '127.0.0.1'`,
      values: [partner.partnerId],
    });
    expect(await app.sendSigned(partner, { path })).toMatchObject({ status: 401 });
  });
});

describe('the key of a signed request', () => {
  it('that is revoked is refused at once', async () => {
    const partner = await aPartner(bed);
    const path = `/v1/payment_intents/${(await anIntent(bed, partner)).intentId}`;
    expect(await app.sendSigned(partner, { path })).toMatchObject({ status: 200 });
    await bed.database.query({
      text: 'update signing_keys set revoked_at = service_now() where key_id = $1',
      values: [partner.key_id],
    });
    expect(await app.sendSigned(partner, { path })).toMatchObject({ status: 401 });
  });

  it('is good until the instant of its revocation', async () => {
    const partner = await aPartner(bed);
    const path = `/v1/payment_intents/${(await anIntent(bed, partner)).intentId}`;
    await bed.database.query({
      text: 'update signing_keys set revokes_at = $2 where key_id = $1',
      values: [partner.key_id, secondsAfter(NOON, 10)],
    });
    expect(await app.sendSigned(partner, { path })).toMatchObject({ status: 200 });
    await bed.setNow(secondsAfter(NOON, 10));
    expect(await app.sendSigned(partner, { path })).toMatchObject({ status: 401 });
  });

  it('of another environment is 401', async () => {
    const partner = await aPartner(bed);
    const path = `/v1/payment_intents/${(await anIntent(bed, partner)).intentId}`;
    await bed.database.query({
      text: `update signing_keys set environment = 'prod' where key_id = $1`,
      values: [partner.key_id],
    });
    expect(await app.sendSigned(partner, { path })).toMatchObject({ status: 401 });
  });
});

describe('where a request came from', () => {
  it.each([
    ['127.0.0.1', '', 0, '127.0.0.1'],
    ['::ffff:127.0.0.1', '', 0, '127.0.0.1'],
    ['::1', '', 0, '::1'],
    [undefined, '', 0, undefined],
    ['10.0.0.1', '1.1.1.1, 2.2.2.2', 0, '10.0.0.1'],
    ['10.0.0.1', '1.1.1.1, 2.2.2.2', 1, '2.2.2.2'],
    ['10.0.0.1', '1.1.1.1,2.2.2.2', 2, '1.1.1.1'],
    ['10.0.0.1', '1.1.1.1', 2, undefined],
    ['10.0.0.1', '1.1.1.1:80', 1, undefined],
  ])('peer %s, forwarded "%s", %d hops: %s', (peer, forwarded, hops, expected) => {
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
  ])('networks %p hold %s: %p', (networks, address, expected) => {
    expect(createAddressMatcher(networks)(address)).toBe(expected);
  });
});
