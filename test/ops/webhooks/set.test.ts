// `payctl webhooks set` and `rotate` (decisions 17 and 18): done when they return, with secrets
// that are shown once and a row in the audit trail.
import { NOON, secondsAfter } from '../../support/clock';
import { aPartner } from '../../support/payments/partner';
import { expectRejected, jsonOf, rejection, runPayctl } from '../../support/programs/payctl';
import { actionsOn, anEvent, disableEndpoint, endpointRow } from './rows';
import { withDatabase, withPartner } from '../../support/brackets';
import { rotateWebhookSecret } from '../../../src/ops/webhooks/rotate';
import { times } from '../../support/builders';

const DEFAULTS = ['payment_intent.captured', 'payment_intent.failed', 'payment_intent.refunded'];

const bed = withDatabase();
beforeEach(() => bed.setNow(NOON));
const partner = withPartner(bed, { isPerTest: true });

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
  it('makes an endpoint for the default events and prints its secret once', async () => {
    await aPartnerWithoutEndpoint('fresh');
    expect(
      jsonOf(await webhooks('set', 'fresh', '--url', 'http://127.0.0.1:9/hook', '--json')),
    ).toEqual({
      partner_id: 'fresh',
      url: 'http://127.0.0.1:9/hook',
      state: 'active',
      event_types: DEFAULTS,
      ...{ failing_since: null, failing_seconds: null, disabled_at: null, disabled_reason: null },
      previous_until: null,
      ...{ pending: 0, skipped: 0, exhausted: 0 },
      webhook_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) as string,
    });
    const again = await webhooks('set', 'fresh');
    expect(again.stdout).not.toContain('whsec_');
    expect(again.stdout).toContain('The secret is unchanged');
  });

  it('adds the events that a partner requested, and removes them again', async () => {
    const types = async (...also: readonly string[]) =>
      json(await webhooks('set', partner.partnerId, ...also, '--json'))['event_types'];
    expect(await types('--also', 'cancelled', '--also', 'expired')).toEqual([
      ...DEFAULTS,
      'payment_intent.expired',
      'payment_intent.cancelled',
    ]);
    expect(await types('--url', 'https://elsewhere.example/')).toHaveLength(5);
    expect(await types('--also', 'expired')).toEqual([...DEFAULTS, 'payment_intent.expired']);
    expect(await types('--also', 'none')).toEqual(DEFAULTS);
  });

  it('enables an endpoint with its secret, and says how to send what was not delivered', async () => {
    const before = await endpointRow(bed, partner);
    await bed.database.query({
      text: `update webhook_endpoints set failing_since = service_now(), gone_in_a_row = 3,
                     gone_since = service_now()
              where partner_id = $1`,
      values: [partner.partnerId],
    });
    await disableEndpoint(bed, partner);
    await anEvent(bed, partner, { state: 'skipped' });
    await anEvent(bed, partner, { state: 'exhausted' });
    const ran = await webhooks('set', partner.partnerId);
    expect(await endpointRow(bed, partner)).toEqual(before);
    expect(ran.stdout).toContain(
      `Events skipped: 1, exhausted: 1. To send them again:\n  payctl webhooks replay --partner ${partner.partnerId}\n`,
    );
  });

  it('records in the audit trail who set which URL and events, and why', async () => {
    await webhooks(
      ...['set', partner.partnerId, '--url', 'https://new.example/', '--also', 'expired'],
      ...['--as', 'ann', '--reason', 'requested in ticket 4711'],
    );
    expect(await actionsOn(bed, partner)).toEqual([
      {
        actor: 'ann',
        action: 'webhooks set',
        event_id: null,
        events: null,
        reason: 'requested in ticket 4711',
        details: `https://${partner.partnerId}.example/webhooks -> https://new.example/, also expired`,
      },
    ]);
  });

  it('is rejected without a URL if there is no endpoint', async () => {
    await aPartnerWithoutEndpoint('bare');
    expect(await webhooks('set', 'bare')).toEqual(
      rejection(
        'Partner bare has no webhook endpoint. Make one: payctl webhooks set bare --url URL.',
      ),
    );
  });

  it.each([
    [1, 'an unknown partner', ['nobody', '--url', 'https://a.example/']],
    [2, 'a malformed URL', ['--url', 'nowhere']],
    [2, 'credentials in a URL', ['--url', 'https://a:b@a.example/']],
    [2, 'an event that cannot be requested', ['--also', 'captured']],
    [2, 'none before an event', ['--also', 'none', '--also', 'expired']],
    [2, 'none after an event', ['--also', 'expired', '--also', 'none']],
    [2, 'a reason of two lines', ['--reason', 'a\nb']],
  ])('exits %i for %s, and changes nothing', async (code, _name, options) => {
    const before = await endpointRow(bed, partner);
    const args = options[0]?.startsWith('--') === true ? [partner.partnerId, ...options] : options;
    expectRejected(await webhooks('set', ...args), code, /^payctl: (?!The command failed)/);
    expect(await endpointRow(bed, partner)).toEqual(before);
    expect(await actionsOn(bed, partner)).toEqual([]);
  });

  it('accepts only https for a partner in prod', async () => {
    const live = await aPartner(bed, { env: 'prod' });
    const ran = await webhooks('set', live.partnerId, '--url', 'http://live.example/');
    expect([ran.code, ran.stderr]).toEqual([
      2,
      'payctl: --url http://live.example/ cannot be used in prod: the address is not https.\n',
    ]);
  });
});

const ANN = { actor: 'ann', reason: null };
const opened = (sealed: unknown) =>
  bed.seal.open(Buffer.isBuffer(sealed) ? sealed : Buffer.alloc(0), `webhook:${partner.partnerId}`);

describe('webhooks rotate', () => {
  it('prints a new secret once, and keeps the old one sealed for two weeks', async () => {
    const ran = await webhooks('rotate', partner.partnerId, '--as', 'ann', '--json');
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    const until = secondsAfter(NOON, 14 * 86_400);
    const { webhook_secret: secret, ...rest } = json(ran);
    expect(rest).toEqual({
      partner_id: partner.partnerId,
      previous_until: until.toISOString(),
      is_oldest_dropped: false,
    });
    const row = await endpointRow(bed, partner);
    expect(row).toMatchObject({ previous_until: until });
    expect(opened(row.secret_sealed)).toBe(secret);
    expect(opened(row['previous_secret_sealed'])).toBe(partner.webhook_secret);
    expect(secret).not.toBe(partner.webhook_secret);
    expect(await actionsOn(bed, partner)).toMatchObject([
      { actor: 'ann', action: 'webhooks rotate', details: 'overlap of 336 h' },
    ]);
  });

  it('ends the old secret at once with an overlap of 0', async () => {
    const ran = await webhooks('rotate', partner.partnerId, '--overlap-hours', '0');
    expect(ran.stdout).toContain('The old secret no longer signs');
    expect(await endpointRow(bed, partner)).toMatchObject({
      previous_secret_sealed: null,
      previous_until: null,
    });
  });

  it('drops the oldest secret during a rotation, and says so', async () => {
    const first = await webhooks('rotate', partner.partnerId, '--json');
    const again = ['rotate', partner.partnerId, '--overlap-hours', '5'] as const;
    expect(await webhooks(...again)).toEqual(
      rejection(
        `The last rotation of ${partner.partnerId} lasts until 2026-03-16T12:00:00Z: the secret before it would no longer sign. Nothing was changed: if it is right, add --yes.`,
      ),
    );
    const second = await webhooks(...again, '--yes');
    expect(second.stdout).toContain(
      'The last rotation was not over: the secret before the old one',
    );
    expect(second.stdout).toMatch(/^is_oldest_dropped +true$/m);
    const row = await endpointRow(bed, partner);
    expect(opened(row['previous_secret_sealed'])).toBe(json(first)['webhook_secret']);
    expect(row).toMatchObject({ previous_until: secondsAfter(NOON, 5 * 3_600) });
  });

  it('drops nothing once the last rotation is over', async () => {
    const rotation = { partnerId: partner.partnerId, overlapHours: 1 };
    await rotateWebhookSecret(bed, rotation, ANN);
    await bed.setNow(secondsAfter(NOON, 3_600));
    await expect(rotateWebhookSecret(bed, rotation, ANN)).resolves.toMatchObject({
      is_oldest_dropped: false,
    });
  });

  it('leaves two printed secrets after eight rotations at once', async () => {
    const rotation = { partnerId: partner.partnerId, overlapHours: 1, yes: true };
    const rotated = await times(8, () => rotateWebhookSecret(bed, rotation, ANN));
    const printed = rotated.map(({ webhook_secret }) => webhook_secret);
    const row = await endpointRow(bed, partner);
    const kept = [opened(row.secret_sealed), opened(row['previous_secret_sealed'])];
    expect(new Set(kept).size).toBe(2);
    expect(printed).toEqual(expect.arrayContaining(kept));
    expect(rotated.filter(({ is_oldest_dropped }) => is_oldest_dropped)).toHaveLength(7);
  });
});
