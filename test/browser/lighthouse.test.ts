// The checkout by Lighthouse, and what it loads before the scanner: by bytes, requests and layout
// shift, which do not depend on the speed of this machine.
import { anIntent } from '../support/builders';
import { withBrowser } from './checkout-world';
import { layoutShiftsOf } from './layout-shifts';
import { runLighthouse } from './lighthouse';
import { SCREENS } from './screens';

const { world, visit: open, browser } = withBrowser({ isOpenToPrograms: true });
const PERFECT = { scores: { accessibility: 100, 'best-practices': 100 }, failures: [] };
const CATEGORIES = ['accessibility', 'best-practices'] as const;
/** Bodies as they were transferred; the partner's logo, which nothing waits for, is not ours. */
const BEFORE_SCANNER_MAX_BYTES = 25_000;
const LOADED = `performance.getEntries()
  .filter(({ entryType }) => entryType === 'navigation' || entryType === 'resource')
  .map(({ name, encodedBodySize }) => [new URL(name).pathname, encodedBodySize])`;
const MAIN = ['review', 'working-confirmed', 'captured'];

beforeEach(() => {
  world.reset();
});

it.each(SCREENS.filter(({ name }) => MAIN.includes(name)))(
  'the screen $name has 100 points for accessibility and best practices',
  async ({ heading, reach }) => {
    const visit = await reach({ world, open });
    await visit.page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    const url = visit.page.url();
    const audited = { mode: 'snapshot', url, categories: CATEGORIES } as const;
    expect(await runLighthouse(browser(), audited)).toEqual(PERFECT);
    await visit.close();
  },
);

it('the page without its script has 100 points for accessibility and best practices', async () => {
  world.network.loseAnswersTo(/\/main-\w+\.js$/);
  const visit = await open(world.link(await anIntent(world.bed, world.partner)));
  const audited = { mode: 'snapshot', url: visit.page.url(), categories: CATEGORIES } as const;
  expect(await runLighthouse(browser(), audited)).toEqual(PERFECT);
  await visit.close();
});

it('a picture without a text costs points for accessibility', async () => {
  const visit = await open(world.link(await anIntent(world.bed, world.partner)));
  await visit.page.getByRole('heading', { name: 'Scan the QR code' }).waitFor();
  await visit.page.evaluate(`document.querySelector('.partner img').removeAttribute('alt')`);
  const audited = { mode: 'snapshot', url: visit.page.url(), categories: CATEGORIES } as const;
  const { scores, failures } = await runLighthouse(browser(), audited);
  expect(scores['accessibility']).toBeLessThan(100);
  expect(failures).toEqual([expect.stringContaining('image-alt')]);
  await visit.close();
});

it.each(['mobile', 'desktop'] as const)(
  'a load on %s has 100 points for accessibility and best practices',
  async (mode) => {
    const url = world.link(await anIntent(world.bed, world.partner));
    const audited = { mode, url, categories: CATEGORIES };
    expect(await runLighthouse(browser(), audited)).toEqual(PERFECT);
  },
);

it('before the scanner it makes five requests, under 25 kB, and moves nothing', async () => {
  const visit = await open(world.link(await anIntent(world.bed, world.partner)));
  await visit.page.getByRole('heading', { name: 'Scan the QR code' }).waitFor();
  await visit.page.evaluate(`document.querySelector('.partner img').decode()`);
  const loaded = await visit.page.evaluate<readonly (readonly [string, number])[]>(LOADED);
  const own = loaded.filter(([path]) => !path.startsWith('/flow/logos/'));
  expect(
    own.map(([path]) =>
      path
        .replace(/-[A-Z0-9]{8}\./, '.')
        .split('/')
        .at(-1),
    ),
  ).toEqual(['scan', 'main.js', 'style.css', 'session']);
  expect(loaded).toHaveLength(5);
  const bytes = own.reduce((sum, [, size]) => sum + size, 0);
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(BEFORE_SCANNER_MAX_BYTES);
  expect(await layoutShiftsOf(visit)).toEqual([]);
  await visit.close();
});
