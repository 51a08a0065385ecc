// A child program of reference-page.test.ts, because Jest cannot load ES modules. It opens the page
// in headless Chromium and prints the visible content and the messages of the browser. A second
// argument names a file for a screenshot.
import chromium from '@sparticuz/chromium';
import { chromium as browsers } from 'playwright-core';

const [, , url = '', picture = ''] = process.argv;
const { origin } = new URL(url);
const complaints = [];
const elsewhere = [];
const failed = [];

// With the package's own `args` closing takes half a minute.
const browser = await browsers.launch({
  executablePath: await chromium.executablePath(),
  args: ['--no-sandbox'],
});
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    const isOurs = request.url().startsWith(`${origin}/`) || request.url().startsWith('data:');
    if (!isOurs) elsewhere.push(request.url());
  });
  page.on('response', (response) => {
    if (!response.ok()) failed.push(`${response.status()} ${response.url()}`);
  });
  await page.goto(url);
  await page.waitForSelector('.opblock-summary-path');
  const texts = (selector) => page.locator(selector).allInnerTexts();
  // Opens them one by one, as a reader does.
  const summaries = page.locator('.opblock-summary-control');
  const count = await summaries.count();
  for (let index = 0; index < count; index += 1) await summaries.nth(index).click();
  await page.waitForSelector('.opblock-body .responses-table');
  if (picture) await page.screenshot({ path: picture, fullPage: true });
  process.stdout.write(
    JSON.stringify({
      complaints,
      elsewhere,
      failed,
      title: await page.title(),
      operations: await texts('.opblock-summary-path'),
      schemes: await texts('.scheme h2'),
      schemeText: (await texts('.scheme')).join('\n'),
      openOperations: await page.locator('.opblock.is-open').count(),
      statuses: await texts('.opblock.is-open >> nth=0 >> .response-col_status'),
      schemas: await texts('.models .json-schema-2020-12__title'),
      inputs: await page.locator('button:has-text("Try it out"), button.authorize').count(),
    }),
  );
} finally {
  await browser.close();
}
