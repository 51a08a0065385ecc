// A payer's checkout in the whole running system: `npm start`, a real browser with a QR code before
// its camera, Temporal, the ledger and the sandbox provider, and the return to the app (protocol
// 6).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import type { SandboxPartner } from '../../src/dev/demo/sandbox-file';
import { checkoutUrl } from '../../src/sdk';
import { openBrowser } from '../browser/chromium';
import { writeQrFilm } from '../browser/qr-pictures';
import { openVisit } from '../browser/visit';
import { npmStart, type NpmStart } from '../support/programs/npm-start';
import { aVietnameseCode } from '../support/payments/qr-codes';
import { createSandboxPayer } from '../support/payments/sandbox-payer';

const directory = mkdtempSync(join(tmpdir(), 'checkout-'));
const films = mkdtempSync(join(tmpdir(), 'films-'));
const CODE = aVietnameseCode({ '54': '180000', '59': 'PHO 24', '60': 'HANOI' });
let start: NpmStart;
let browser: Browser;

beforeAll(async () => {
  const cameraFile = join(films, 'code.y4m');
  writeQrFilm(cameraFile, CODE);
  [start, browser] = await Promise.all([npmStart(directory), openBrowser({ cameraFile })]);
});
afterAll(async () => {
  await browser.close();
  await start.interrupt();
  for (const folder of [directory, films]) rmSync(folder, { recursive: true, force: true });
});

function partner(): SandboxPartner {
  const [first] = start.sandbox().partners;
  if (first === undefined) throw new Error('two partners are onboarded');
  return first;
}

/** Opens the checkout for a new intent of that amount, as the partner's app does. */
async function openCheckout(amountUsdCents: number) {
  const sandbox = start.sandbox();
  const payer = createSandboxPayer(sandbox, partner());
  const intent = await payer.create(amountUsdCents);
  const address = checkoutUrl({
    checkoutUrl: sandbox.checkout_url,
    intentId: intent.intentId,
    sessionToken: await payer.mint(intent),
    returnScheme: partner().partner_id,
  });
  const visit = await openVisit(browser, address);
  return { payer, intent, visit };
}

it.each([
  // src/sandbox/scenarios.ts: paid at once; executed but never answered; pending for 3 s; declined.
  [1_250, 'captured', 'Paid'],
  [40_002, 'captured', 'Paid'],
  [40_004, 'captured', 'Paid'],
  [40_001, 'failed', 'Not paid'],
])(
  'an intent of %d cents is scanned, confirmed and %s, and the app gets the status',
  async (amountUsdCents, status, heading) => {
    const { payer, intent, visit } = await openCheckout(amountUsdCents);
    const { page } = visit;
    await page.getByRole('button', { name: 'Scan with the camera' }).click();
    await page.getByRole('heading', { name: 'Check the payment' }).waitFor();
    expect(await page.getByText('PHO 24, HANOI').isVisible()).toBe(true);
    expect(await page.getByText('VND 180,000').isVisible()).toBe(true);
    await page.getByRole('button', { name: /^Pay / }).click();
    await page.getByRole('heading', { name: heading, exact: true }).waitFor();
    expect(await visit.untilHandedOver()).toBe(
      `${partner().partner_id}://payment-result?intent_id=${intent.intentId}&status=${status}`,
    );
    expect(await payer.client.getIntent(intent.intentId)).toMatchObject({ status });
    expect(visit.violations).toEqual([]);
    await visit.close();
  },
);

it('the app gets the status pending for a payment that is still open', async () => {
  const { intent, visit } = await openCheckout(40_005);
  const { page } = visit;
  await page.getByRole('button', { name: 'Scan with the camera' }).click();
  await page.getByRole('button', { name: /^Pay / }).click();
  await page.getByText('Waiting for the payout').first().waitFor();
  await page.getByRole('button', { name: 'Go back to the app now' }).click();
  expect(await visit.untilHandedOver()).toBe(
    `${partner().partner_id}://payment-result?intent_id=${intent.intentId}&status=pending`,
  );
  expect(await visit.shown()).not.toMatch(/not paid|failed/i);
  await visit.close();
});
