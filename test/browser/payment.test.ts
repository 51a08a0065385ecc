// The payer's way through the checkout (spec, end-to-end flow, steps 4 to 7), in a real browser.
import type { Browser } from 'playwright-core';
import { aVietnameseCode } from '../support/qr-codes';
import { anIntent, findExisting } from '../support/builders';
import { openBrowser } from './chromium';
import { openCheckoutWorld, type CheckoutWorld } from './checkout-world';
import { openVisit } from './visit';

let world: CheckoutWorld;
let browser: Browser;
beforeAll(async () => {
  [world, browser] = await Promise.all([openCheckoutWorld(), openBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await world.close();
});

describe('the payer', () => {
  it('pastes the text of a code, confirms, and is taken back to the app', async () => {
    const intent = await anIntent(world.bed, world.partner, { corridor: 'vn_qrpay' });
    const visit = await openVisit(browser, world.link(intent));
    const { page } = visit;
    await page.getByText('Paste the text of the code').click();
    await page.getByLabel('Text of the QR code').fill(aVietnameseCode({ '59': 'PHO 24' }));
    await page.getByRole('button', { name: 'Use this text' }).click();
    await page.getByRole('heading', { name: 'Check the payment' }).waitFor();
    expect(await page.getByText('PHO 24').isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Pay USD 12.50' }).click();
    await page.getByRole('heading', { name: 'Paid' }).waitFor();
    expect(await visit.untilHandedOver()).toBe(
      `siam-travel://payment-result?intent_id=${intent.intentId}&status=captured`,
    );
    expect(await findExisting(world.bed, intent.intentId)).toMatchObject({ status: 'captured' });
    expect(visit.offences).toEqual([]);
    await visit.close();
  });
});
