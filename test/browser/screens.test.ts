// Every screen of the checkout: no findings of axe in light and in dark, and in three languages no
// horizontal scrolling and no small target on a small phone or with large type. UPDATE_PICTURES=1
// also writes the pictures in docs/checkout.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { processEnvironment } from '../../src/config/config';
import { withFolder } from '../support/brackets';
import { anIntent } from '../support/builders';
import { aVietnameseCode } from '../support/payments/qr-codes';
import { withBrowser } from './checkout-world';
import { qrPhoto, writeQrFilm } from './qr-pictures';
import { SAMPLE_CODES } from './scanned-codes';
import { chooseLanguage, PICTURES, SCREENS, SMALLEST } from './screens';
import type { Visit } from './visit';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const areUpdated = processEnvironment()['UPDATE_PICTURES'] === '1';

const film = join(withFolder(), 'code.y4m');
writeQrFilm(film, aVietnameseCode(), 110);
const { world, visit: open } = withBrowser({ cameraFile: film });

it.each(Object.entries(SAMPLE_CODES))('the page accepts the code %s', async (name, code) => {
  const photo = await qrPhoto(code);
  if (areUpdated) writeFileSync(pathOf(name), photo);
  const corridor = name === 'code-th' ? 'th_qrpay' : 'vn_qrpay';
  const visit = await open(world.link(await anIntent(world.bed, world.partner, { corridor })));
  const file = { name: 'code.png', mimeType: 'image/png', buffer: photo };
  await visit.page.getByLabel('Choose a photo of the code').setInputFiles(file);
  await visit.page.getByRole('heading', { name: 'Check the payment' }).waitFor();
  expect(visit.violations).toEqual([]);
  await visit.close();
});

describe.each(SCREENS)('the screen $name', ({ name, heading, reach }) => {
  let visit: Visit;
  beforeAll(async () => {
    world.reset();
    visit = await reach({ world, open });
    await visit.page.getByRole('heading', { name: heading, level: 1 }).waitFor();
  });
  afterAll(() => visit.close());

  it.each(['light', 'dark'] as const)('has no findings in %s', async (colorScheme) => {
    const { page } = visit;
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await findingsOn(page)).toEqual([]);
    await updatePicture(page, colorScheme === 'light' ? name : `${name}-dark`);
  });

  it('has its heading as the title', async () => {
    // An ending opens the app meanwhile: while Chromium looks for it, the title is empty.
    const isTitle = visit.page.evaluate(`new Promise((resolve) => {
      const look = () => document.title === ${JSON.stringify(heading)} ? resolve(true) : setTimeout(look, 20);
      look();
    })`);
    await expect(isTitle).resolves.toBe(true);
  });

  it.each(['en', 'th', 'vi'])('in %s fits small phones and large type', async (language) => {
    const { page } = visit;
    const size = page.viewportSize() ?? SMALLEST;
    await chooseLanguage(visit, language);
    expect(await page.locator('html').getAttribute('lang')).toBe(language);
    for (const width of [320, 195]) {
      await page.setViewportSize({ width, height: 640 });
      expect([width, await overflowOf(page), await smallTargetsOn(page)]).toEqual([width, 0, []]);
    }
    await page.setViewportSize(SMALLEST);
    await updatePicture(page, `${name}-${language}`);
    await page.setViewportSize(size);
  });

  it('violates no policy', () => {
    expect(visit.violations).toEqual([]);
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

/** The controls that are less than 44 pixels wide or high. */
function smallTargetsOn(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>(`
    [...document.querySelectorAll('button, select, summary, textarea, .button')]
      .filter((target) => target.checkVisibility())
      .filter((target) => Math.min(target.offsetWidth, target.offsetHeight) < 44)
      .map((target) => target.outerHTML)`);
}

async function updatePicture(page: Page, name: string): Promise<void> {
  if (!areUpdated || !PICTURES.includes(name)) return;
  // On the smallest phone the picture shows what is in view without scrolling.
  const fullPage = page.viewportSize()?.width !== SMALLEST.width;
  await page.screenshot({ path: pathOf(name), fullPage, animations: 'disabled' });
}

function pathOf(name: string): string {
  return join(__dirname, '..', '..', 'docs', 'checkout', `${name}.png`);
}
