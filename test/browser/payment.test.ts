// The payer's way through the checkout (spec, end-to-end flow, steps 4 to 7), in a real browser.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import type { PaymentIntent } from '../../src/domain/payment-intent';
import { anIntent, findExisting } from '../support/builders';
import { aVietnameseCode } from '../support/qr-codes';
import { openBrowser } from './chromium';
import { openCheckoutWorld, RETURN_SCHEME, type CheckoutWorld } from './checkout-world';
import { qrPhoto, writeQrFilm } from './qr-pictures';
import { FULL_CODE } from './scanned-codes';
import { paste } from './screens';
import { openVisit, type Visit } from './visit';

const ONE_PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

let world: CheckoutWorld;
let browser: Browser;
let intent: PaymentIntent;
const films = mkdtempSync(join(tmpdir(), 'films-'));
const film = join(films, 'code.y4m');
beforeAll(async () => {
  writeQrFilm(film, FULL_CODE);
  [world, browser] = await Promise.all([openCheckoutWorld(), openBrowser({ cameraFile: film })]);
});
afterAll(async () => {
  rmSync(films, { recursive: true });
  await browser.close();
  await world.close();
});
beforeEach(async () => {
  world.reset();
  world.network.arrivals.length = 0;
  intent = await anIntent(world.bed, world.partner);
});

const open = (wish = {}) => openVisit(browser, world.link(intent, wish));
const pay = ({ page }: Visit) => page.getByRole('button', { name: 'Pay USD 12.50' }).click();
const toReview = ({ page }: Visit) =>
  page.getByRole('heading', { name: 'Check the payment' }).waitFor();
const backIn = (status: string) =>
  `${RETURN_SCHEME}://payment-result?intent_id=${intent.intentId}&status=${status}`;
const arrivalsAt = (end: string) =>
  world.network.arrivals.filter(({ url }) => url.endsWith(`/${intent.intentId}/${end}`));

describe('the payer', () => {
  it('scans with the camera, checks, confirms, and is taken back to the app', async () => {
    const visit = await open();
    await visit.page.getByRole('button', { name: 'Scan with the camera' }).click();
    await toReview(visit);
    expect(await visit.page.getByText('BAAN SOMTUM, BANGKOK').isVisible()).toBe(true);
    expect(await visit.page.getByText('THB 422.50').isVisible()).toBe(true);
    await pay(visit);
    expect(await visit.untilHandedOver()).toBe(backIn('captured'));
    expect(await visit.page.getByRole('heading', { name: 'Paid' }).isVisible()).toBe(true);
    expect(await findExisting(world.bed, intent.intentId)).toMatchObject({ status: 'captured' });
    expect(world.app.payouts).toContainEqual({ intentId: intent.intentId, qrPayload: FULL_CODE });
    expect(visit.offences).toEqual([]);
    await visit.close();
  });

  it('chooses a photo of a code', async () => {
    const visit = await open();
    const buffer = await qrPhoto(FULL_CODE);
    const photo = { name: 'code.png', mimeType: 'image/png', buffer };
    await visit.page.getByLabel('Choose a photo of the code').setInputFiles(photo);
    await toReview(visit);
    expect(visit.offences).toEqual([]);
    await visit.close();
  });

  it.each([
    ['without a code', Buffer.from(ONE_PIXEL, 'base64'), 'No QR code was found'],
    ['that is no photo', Buffer.from('no picture'), 'cannot be read as a photo'],
  ])('is told about a photo %s', async (_name, buffer, text) => {
    const visit = await open();
    const photo = { name: 'code.png', mimeType: 'image/png', buffer };
    await visit.page.getByLabel('Choose a photo of the code').setInputFiles(photo);
    await visit.page.getByRole('alert').getByText(text).waitFor();
    expect(visit.offences).toEqual([]);
    await visit.close();
  });

  it('is told what is wrong with a code, and may go on', async () => {
    const visit = await open();
    await paste(visit, aVietnameseCode());
    await visit.page.getByRole('alert').getByText('This is a Vietnamese code').waitFor();
    await visit.page.getByLabel('Text of the QR code').fill('https://shop.example');
    await visit.page.getByRole('button', { name: 'Use this text' }).click();
    await visit.page.getByRole('alert').getByText('not a payment code').waitFor();
    await visit.page.getByLabel('Text of the QR code').fill(`${FULL_CODE}\n`);
    await visit.page.getByRole('button', { name: 'Use this text' }).click();
    await toReview(visit);
    expect(arrivalsAt('confirm')).toEqual([]);
    await visit.close();
  });

  it('cancels before anything is confirmed, and the payment stays open', async () => {
    const visit = await open();
    await visit.page.getByRole('button', { name: 'Cancel and go back' }).click();
    expect(await visit.untilHandedOver()).toBe(backIn('cancelled'));
    expect(await findExisting(world.bed, intent.intentId)).toMatchObject({ status: 'created' });
    await visit.page.getByRole('button', { name: 'Go on with the payment' }).click();
    await visit.page.getByRole('heading', { name: 'Scan the QR code' }).waitFor();
    await visit.close();
  });

  it('whose session runs out is told so, and the app is told pending: another session may confirm', async () => {
    const exp = Math.floor(world.now.getTime() / 1_000) + 1;
    const visit = await open({ claims: { exp } });
    await visit.page.getByRole('heading', { name: 'Time is over' }).waitFor();
    await visit.page.getByRole('button', { name: 'Back to the app' }).click();
    expect(await visit.untilHandedOver()).toBe(backIn('pending'));
    await visit.close();
  });

  it('presses "pay" twice, and it is confirmed once', async () => {
    world.network.hold(/\/confirm$/);
    const visit = await open();
    await paste(visit, FULL_CODE);
    await toReview(visit);
    await visit.page.getByRole('button', { name: 'Pay USD 12.50' }).dblclick();
    await visit.page.getByRole('heading', { name: 'Your payment is on its way' }).waitFor();
    world.network.mend();
    expect(await visit.untilHandedOver()).toBe(backIn('captured'));
    expect(arrivalsAt('confirm')).toHaveLength(1);
    await visit.close();
  });

  it('needs no mouse', async () => {
    const visit = await open();
    const { keyboard } = visit.page;
    await visit.page.getByRole('heading', { name: 'Scan the QR code' }).waitFor();
    const tabTo = async (name: string) => {
      const isThere = () =>
        visit.page
          .evaluate<string>('document.activeElement.textContent')
          .then((text) => text.replaceAll('\u00a0', ' ') === name);
      for (let step = 0; step < 12 && !(await isThere()); step += 1) await keyboard.press('Tab');
      expect(await isThere()).toBe(true);
    };
    await tabTo('Paste the text of the code');
    await keyboard.press('Enter');
    await keyboard.press('Tab');
    await keyboard.insertText(FULL_CODE);
    await tabTo('Use this text');
    await keyboard.press('Enter');
    await toReview(visit);
    // A new screen begins at its heading, for keyboards and for screen readers.
    expect(await visit.page.evaluate('document.activeElement.tagName')).toBe('H1');
    await tabTo('Pay USD 12.50');
    await keyboard.press('Space');
    expect(await visit.untilHandedOver()).toBe(backIn('captured'));
    await visit.close();
  });
});
