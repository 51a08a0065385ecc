// `payctl webhooks set` as operations run it (decision 17): in force when it returns, the secret shown once, and with who,
// when and why.
import { openTestBed, type TestBed } from '../support/builders';
import { NOON } from '../support/clock';
import { aPartner, type TestPartner } from '../support/partner';
import { runPayctl } from './payctl';
import { actionsOn, anEvent, disableEndpoint, endpointRow } from './webhook-rows';

const USUAL = ['payment_intent.captured', 'payment_intent.failed', 'payment_intent.refunded'];

let bed: TestBed;
let partner: TestPartner;
beforeAll(async () => {
  bed = await openTestBed();
});
beforeEach(async () => {
  await bed.setNow(NOON);
  partner = await aPartner(bed);
});
afterAll(() => bed.close());

const webhooks = (...args: readonly string[]) => runPayctl(bed, ['webhooks', ...args]);
const json = (ran: { readonly stdout: string }) =>
  JSON.parse(ran.stdout) as Record<string, unknown>;

async function aPartnerWithoutEndpoint(name: string): Promise<void> {
  await runPayctl(bed, [
    ...['partners', 'create', '--name', name, '--allow', '127.0.0.1'],
    ...['--jwks-url', `https://${name}.example/jwks`],
  ]);
}

describe('webhooks set', () => {
  it('makes an endpoint for the usual events and prints its secret this once', async () => {
    await aPartnerWithoutEndpoint('fresh');
    const made = await webhooks('set', 'fresh', '--url', 'http://127.0.0.1:9/hook', '--json');
    expect([made.code, made.stderr]).toEqual([0, '']);
    expect(json(made)).toEqual({
      partner_id: 'fresh',
      url: 'http://127.0.0.1:9/hook',
      state: 'active',
      event_types: USUAL,
      ...{ failing_since: null, failing_seconds: null, disabled_at: null, disabled_reason: null },
      previous_until: null,
      ...{ owed: 0, missed: 0, given_up: 0 },
      webhook_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) as string,
    });
    const again = await webhooks('set', 'fresh');
    expect(again.stdout).not.toContain('whsec_');
    expect(again.stdout).toContain('The secret stays as it was');
  });

  it('adds the events that a partner asked for, and takes them away again', async () => {
    const types = async (...also: readonly string[]) =>
      json(await webhooks('set', partner.partnerId, ...also, '--json'))['event_types'];
    expect(await types('--also', 'cancelled', '--also', 'expired')).toEqual([
      ...USUAL,
      'payment_intent.expired',
      'payment_intent.cancelled',
    ]);
    expect(await types('--url', 'https://elsewhere.example/')).toHaveLength(5);
    expect(await types('--also', 'expired')).toEqual([...USUAL, 'payment_intent.expired']);
    expect(await types('--also', 'none')).toEqual(USUAL);
  });

  it('enables an endpoint with a clean book, keeps its secret, and says how to send what it missed', async () => {
    const before = await endpointRow(bed, partner);
    await bed.database.query({
      text: `update webhook_endpoints set failing_since = service_now(), gone_in_a_row = 3 where partner_id = $1`,
      values: [partner.partnerId],
    });
    await disableEndpoint(bed, partner);
    await anEvent(bed, partner, { state: 'missed' });
    await anEvent(bed, partner, { state: 'missed' });
    const ran = await webhooks('set', partner.partnerId);
    expect(await endpointRow(bed, partner)).toEqual(before);
    expect(ran.stdout).toContain(
      `It has missed 2 events. To send what it missed:\n  payctl webhooks replay --partner ${partner.partnerId} --missing\n`,
    );
  });

  it('leaves in the trace who set it to what, and why', async () => {
    await webhooks(
      ...['set', partner.partnerId, '--url', 'https://new.example/', '--also', 'expired'],
      ...['--as', 'ann', '--reason', 'asked for in ticket 4711'],
    );
    expect(await actionsOn(bed, partner)).toEqual([
      {
        actor: 'ann',
        action: 'webhooks set',
        event_id: null,
        events: null,
        reason: 'asked for in ticket 4711',
        details: 'https://new.example/, also expired',
      },
    ]);
  });

  it('refuses to enable what is not there', async () => {
    await aPartnerWithoutEndpoint('bare');
    const ran = await webhooks('set', 'bare');
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([
      1,
      '',
      'payctl: Partner bare has no webhook endpoint. Make one: payctl webhooks set bare --url URL.\n',
    ]);
  });

  it.each([
    [1, 'a partner that is not there', ['nobody', '--url', 'https://a.example/']],
    [2, 'an address that is none', ['--url', 'nowhere']],
    [2, 'credentials in an address', ['--url', 'https://a:b@a.example/']],
    [2, 'an event that there is not', ['--also', 'captured']],
    [2, 'none and something', ['--also', 'none', '--also', 'expired']],
    [2, 'something and none', ['--also', 'expired', '--also', 'none']],
    [2, 'a reason of two lines', ['--reason', 'a\nb']],
  ])('exits %i for %s, and changes nothing', async (code, _name, options) => {
    const before = await endpointRow(bed, partner);
    const args = options[0]?.startsWith('--') === true ? [partner.partnerId, ...options] : options;
    const ran = await webhooks('set', ...args);
    expect([ran.code, ran.stdout]).toEqual([code, '']);
    expect(ran.stderr).toMatch(/^payctl: (?!it failed)/);
    expect(await endpointRow(bed, partner)).toEqual(before);
    expect(await actionsOn(bed, partner)).toEqual([]);
  });

  it('takes https only for a partner in prod', async () => {
    const live = await aPartner(bed, { env: 'prod' });
    const ran = await webhooks('set', live.partnerId, '--url', 'http://live.example/');
    expect([ran.code, ran.stderr]).toEqual([
      2,
      'payctl: --url http://live.example/ cannot be used in prod: the address is not https.\n',
    ]);
  });
});
