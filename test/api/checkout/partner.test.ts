// What the checkout shows of a partner (decision 144): its name to a valid session token, and its
// logo by an id that only such an answer has.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { setPartner } from '../../../src/ops/partners/set';
import { bearer, startApp } from '../../support/app';
import { withApi } from '../../support/brackets';
import { anIntent } from '../../support/builders';
import { mintToken, type TestPartner } from '../../support/payments/partner';

const { bed, app, partner, other } = withApi({ partner: { displayName: 'Siam <b>Travel</b>' } });
const operator = { actor: 'ann', reason: null };
let logo: string;
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'logo-'));
  logo = join(folder, 'logo.png');
  writeFileSync(logo, PNG.sync.write(new PNG({ width: 64, height: 64 })));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const sessionOf = async (of: TestPartner, intent: PaymentIntent) => {
  const path = `/flow/${intent.intentId}/session`;
  const { text } = await app.send({ path, headers: bearer(mintToken(of, intent)) });
  return (JSON.parse(text) as { readonly partner: unknown }).partner;
};
const shown = async (of: TestPartner) => sessionOf(of, await anIntent(bed, of));

describe('the session answer', () => {
  it('has the name, and null for a partner without one', async () => {
    expect(await shown(partner)).toEqual({ name: 'Siam <b>Travel</b>', logo: null });
    expect(await shown(other)).toBeNull();
  });

  it('has a change as soon as payctl returns', async () => {
    await setPartner(bed, { partnerId: other.partnerId, displayName: 'Saigon', logo }, operator);
    expect(await shown(other)).toEqual({
      name: 'Saigon',
      logo: expect.stringMatching(/^\/flow\/logos\/[\da-f-]{36}\.png$/) as string,
    });
    const removed = { partnerId: other.partnerId, displayName: 'none', logo: 'none' };
    await setPartner(bed, removed, operator);
    expect(await shown(other)).toBeNull();
  });

  it('has no name for a token of another partner', async () => {
    const intent = await anIntent(bed, partner);
    const path = `/flow/${intent.intentId}/session`;
    const reply = await app.send({ path, headers: bearer(mintToken(other, intent)) });
    expect(reply.status).toBe(401);
    expect(reply.text).not.toContain('Siam');
  });
});

describe('GET /flow/logos/<logo_id>.png', () => {
  let path: string;
  beforeEach(async () => {
    const named = { partnerId: other.partnerId, displayName: 'Saigon', logo };
    await setPartner(bed, named, operator);
    ({ logo: path } = (await shown(other)) as { readonly logo: string });
  });

  it('returns the picture, which browsers may cache for ever and read as nothing else', async () => {
    expect(await app.send({ path })).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'image/png',
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
        'content-security-policy': expect.stringContaining("default-src 'none'") as string,
      },
    });
  });

  it('is 404 once the partner has another logo, or none', async () => {
    for (const next of [logo, 'none']) {
      await setPartner(bed, { partnerId: other.partnerId, logo: next }, operator);
      expect(await app.send({ path })).toMatchObject({ status: 404 });
    }
  });

  it('is 404 in another environment', async () => {
    const prod = await startApp(bed, { environment: 'prod' });
    const { status } = await prod.send({ path });
    await prod.close();
    expect(status).toBe(404);
  });

  it.each([
    `${randomUUID()}.png`,
    randomUUID(),
    'siam-travel.png',
    '%27%20or%20true--.png',
    '%00.png',
    '..%2f..%2fpackage.json',
    '',
  ])('for %s is 404 in the envelope', async (name) => {
    const { status, text } = await app.send({ path: `/flow/logos/${name}` });
    expect([status, JSON.parse(text)]).toMatchObject([404, { error: 'not_found' }]);
  });
});
