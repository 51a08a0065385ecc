// A payer pays with the checkout (protocol 6), in a real browser.
import { join } from 'node:path';
import { withFolder } from '../support/brackets';
import { findExisting } from '../support/builders';
import { aVietnameseCode } from '../support/payments/qr-codes';
import { withVisits } from './checkout-world';
import { qrPhoto, writeQrFilm } from './qr-pictures';
import { FULL_CODE } from './scanned-codes';
import { paste } from './screens';
import type { Visit } from './visit';

const ONE_PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

const film = join(withFolder(), 'code.y4m');
writeQrFilm(film, FULL_CODE);
const visits = withVisits({ cameraFile: film });
const { world, backIn, openLink: open } = visits;

const pay = ({ page }: Visit) => page.getByRole('button', { name: 'Pay USD 12.50' }).click();
const toReview = ({ page }: Visit) =>
  page.getByRole('heading', { name: 'Check the payment' }).waitFor();
const arrivalsAt = (end: string) =>
  world.network.arrivals.filter(({ url }) => url.endsWith(`/${visits.intent.intentId}/${end}`));

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
    expect(await findExisting(world.bed, visits.intent.intentId)).toMatchObject({
      status: 'captured',
    });
    expect(world.app.payouts).toContainEqual({
      intentId: visits.intent.intentId,
      qrPayload: FULL_CODE,
    });
    expect(visit.violations).toEqual([]);
  });

  const choosePhoto = ({ page }: Visit, buffer: Buffer) =>
    page
      .getByLabel('Choose a photo of the code')
      .setInputFiles({ name: 'code.png', mimeType: 'image/png', buffer });

  it('chooses a photo of a code', async () => {
    const visit = await open();
    await choosePhoto(visit, await qrPhoto(FULL_CODE));
    await toReview(visit);
    expect(visit.violations).toEqual([]);
  });

  it.each([
    ['without a code', Buffer.from(ONE_PIXEL, 'base64'), 'No QR code was found'],
    ['that is not a picture', Buffer.from('no picture'), 'cannot be read as a photo'],
  ])('gets a message about a photo %s', async (_name, buffer, text) => {
    const visit = await open();
    await choosePhoto(visit, buffer);
    await visit.page.getByRole('alert').getByText(text).waitFor();
    expect(visit.violations).toEqual([]);
  });

  it('reads what is wrong with a code, and may try another', async () => {
    const visit = await open();
    await paste(visit, aVietnameseCode());
    await visit.page.getByRole('alert').getByText('This code is of another country').waitFor();
    await visit.page.getByLabel('Text of the QR code').fill('https://shop.example');
    await visit.page.getByRole('button', { name: 'Use this text' }).click();
    await visit.page.getByRole('alert').getByText('not a payment code').waitFor();
    await visit.page.getByLabel('Text of the QR code').fill(`${FULL_CODE}\n`);
    await visit.page.getByRole('button', { name: 'Use this text' }).click();
    await toReview(visit);
    expect(arrivalsAt('confirm')).toEqual([]);
  });

  it('cancels before anything is confirmed, and the payment stays open', async () => {
    const visit = await open();
    await visit.page.getByRole('button', { name: 'Cancel and go back' }).click();
    expect(await visit.untilHandedOver()).toBe(backIn('cancelled'));
    expect(await findExisting(world.bed, visits.intent.intentId)).toMatchObject({
      status: 'created',
    });
    await visit.page.getByRole('button', { name: 'Go on with the payment' }).click();
    await visit.page.getByRole('heading', { name: 'Scan the QR code' }).waitFor();
  });

  it('reads that the session has expired, and the app gets pending: another session may confirm', async () => {
    const exp = Math.floor(world.now.getTime() / 1_000) + 1;
    const visit = await open({ claims: { exp } });
    await visit.page.getByRole('heading', { name: 'This link has expired' }).waitFor();
    await visit.page.getByRole('button', { name: 'Back to the app' }).click();
    expect(await visit.untilHandedOver()).toBe(backIn('pending'));
  });

  it('reads that the link has expired, also on a phone whose clock is five hours late', async () => {
    const visit = await open({ token: 'a.b.c' });
    await visit.page.clock.setFixedTime(new Date(world.now.getTime() - 5 * 3_600_000));
    const iat = Math.floor(world.now.getTime() / 1_000) - 660;
    await visit.page.goto(world.link(visits.intent, { claims: { iat, exp: iat + 600 } }));
    await visit.page.getByRole('heading', { name: 'This link has expired' }).waitFor();
    const hint = visit.page.getByText('The app shows whether anything was paid');
    expect(await hint.isVisible()).toBe(true);
  });

  it('clicks "pay" twice, and the page confirms once', async () => {
    world.network.hold(/\/confirm$/);
    const visit = await open();
    await paste(visit, FULL_CODE);
    await toReview(visit);
    await visit.page.getByRole('button', { name: 'Pay USD 12.50' }).dblclick();
    await visit.page.getByRole('heading', { name: 'Processing your payment' }).waitFor();
    world.network.mend();
    expect(await visit.untilHandedOver()).toBe(backIn('captured'));
    expect(arrivalsAt('confirm')).toHaveLength(1);
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
    // A new screen has the focus on its heading, for keyboards and for screen readers.
    expect(await visit.page.evaluate('document.activeElement.tagName')).toBe('H1');
    await tabTo('Pay USD 12.50');
    await keyboard.press('Space');
    expect(await visit.untilHandedOver()).toBe(backIn('captured'));
  });
});
