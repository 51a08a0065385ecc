// Every screen of the checkout: nothing for axe to find in light and in dark, no sideways scrolling on a small phone or
// with large type, and three languages. UPDATE_PICTURES=1 also writes the pictures in docs/checkout.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { processEnvironment } from '../../src/config';
import { openBrowser } from './chromium';
import { openCheckoutWorld, type CheckoutWorld } from './checkout-world';
import { SCREENS } from './screens';
import { openVisit, type Visit } from './visit';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const PICTURES = join(__dirname, '..', '..', 'docs', 'checkout');
const areUpdated = processEnvironment()['UPDATE_PICTURES'] === '1';
const LANGUAGES = [
  ['English', 'en'],
  ['ไทย', 'th'],
  ['Tiếng Việt', 'vi'],
] as const;

let world: CheckoutWorld;
let browser: Browser;
beforeAll(async () => {
  [world, browser] = await Promise.all([openCheckoutWorld(), openBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await world.close();
});

describe.each(SCREENS)('the screen $name', ({ name, heading, reach }) => {
  let visit: Visit;
  beforeAll(async () => {
    world.reset();
    visit = await reach({ world, open: (address) => openVisit(browser, address) });
    await visit.page.getByRole('heading', { name: heading, level: 1 }).waitFor();
  });
  afterAll(() => visit.close());

  it.each(['light', 'dark'] as const)('has no findings in %s', async (colorScheme) => {
    const { page } = visit;
    await page.emulateMedia({ colorScheme });
    expect(await findingsOn(page)).toEqual([]);
    if (areUpdated) await picture(page, `${name}-${colorScheme}`);
  });

  it('has the focus on its heading and tells it as the title', async () => {
    expect(await visit.page.title()).toBe(heading);
  });

  it.each(LANGUAGES)('speaks %s, and fits small phones and large type', async (label, language) => {
    const { page } = visit;
    await page.getByRole('button', { name: label }).click();
    expect(await page.locator('html').getAttribute('lang')).toBe(language);
    for (const width of [320, 195]) {
      await page.setViewportSize({ width, height: 640 });
      expect([width, await overflowOf(page)]).toEqual([width, 0]);
      if (areUpdated) await picture(page, `${name}-${language}-${width}`);
    }
    await page.setViewportSize({ width: 390, height: 844 });
  });

  it('offends against no policy', () => {
    expect(visit.offences).toEqual([]);
  });
});

async function findingsOn(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<AxeResults>('axe.run()');
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

/** How many pixels the page is wider than its window. */
function overflowOf(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
}

async function picture(page: Page, name: string): Promise<void> {
  await page.screenshot({
    path: join(PICTURES, `${name}.png`),
    fullPage: true,
    animations: 'disabled',
  });
}
