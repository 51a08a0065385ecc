// `payctl webhooks rotate` as operations run it (decision 18): a new secret, shown once, and the old one beside it for a
// while.
import { rotateWebhookSecret } from '../../src/ops/webhook-endpoint';
import { openTestBed, times, type TestBed } from '../support/builders';
import { NOON, secondsAfter } from '../support/clock';
import { aPartner, type TestPartner } from '../support/partner';
import { runPayctl } from './payctl';
import { actionsOn, endpointRow } from './webhook-rows';

const ANN = { actor: 'ann', reason: null };

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
const opened = (sealed: unknown) =>
  bed.seal.open(Buffer.isBuffer(sealed) ? sealed : Buffer.alloc(0), `webhook:${partner.partnerId}`);

describe('webhooks rotate', () => {
  it('prints a new secret this once, and keeps the old one sealed for two weeks', async () => {
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

  it('with no overlap ends the old secret at once', async () => {
    const ran = await webhooks('rotate', partner.partnerId, '--overlap-hours', '0');
    expect(ran.stdout).toContain('The old one signs no more');
    expect(await endpointRow(bed, partner)).toMatchObject({
      previous_secret_sealed: null,
      previous_until: null,
    });
  });

  it('during a rotation drops the oldest secret and says so', async () => {
    const first = await webhooks('rotate', partner.partnerId, '--json');
    const second = await webhooks('rotate', partner.partnerId, '--overlap-hours', '5');
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

  it('of eight at once leaves two secrets that were printed', async () => {
    const rotation = { partnerId: partner.partnerId, overlapHours: 1 };
    const rotated = await times(8, () => rotateWebhookSecret(bed, rotation, ANN));
    const printed = rotated.map(({ webhook_secret }) => webhook_secret);
    const row = await endpointRow(bed, partner);
    const kept = [opened(row.secret_sealed), opened(row['previous_secret_sealed'])];
    expect(new Set(kept).size).toBe(2);
    expect(printed).toEqual(expect.arrayContaining(kept));
    expect(rotated.filter(({ is_oldest_dropped }) => is_oldest_dropped)).toHaveLength(7);
  });

  it.each([['-1'], ['1.5'], ['10000'], ['x']])(
    'takes an overlap of %s for wrong usage',
    async (hours) => {
      const ran = await webhooks('rotate', partner.partnerId, `--overlap-hours=${hours}`);
      expect([ran.code, ran.stdout]).toEqual([2, '']);
    },
  );
});
