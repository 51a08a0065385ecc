// The head of the page: the colour around it is that of the page, and its icon is ours.
import { withVisits } from './checkout-world';

const visits = withVisits();

const THEME = `(() => {
  const metas = [...document.querySelectorAll('meta[name=theme-color]')];
  const probe = document.createElement('i');
  probe.style.color = metas.find(({ media }) => matchMedia(media).matches).content;
  document.body.append(probe);
  return [getComputedStyle(probe).color, getComputedStyle(document.body).backgroundColor];
})()`;

it.each(['light', 'dark'] as const)('in %s the theme colour is the page’s', async (colorScheme) => {
  const visit = await visits.open(visits.world.link(visits.intent), { colorScheme });
  await visit.page.getByRole('heading', { name: 'Scan the QR code' }).waitFor();
  const [theme, ground] = await visit.page.evaluate<readonly string[]>(THEME);
  expect(theme).toBe(ground);
});

it('the icon is a picture that the browser can show', async () => {
  const visit = await visits.openLink();
  const { page } = visit;
  await page.getByRole('heading', { name: 'Scan the QR code' }).waitFor();
  const icon = await page.locator('link[rel=icon]').getAttribute('href');
  expect(icon).toMatch(/^\/flow\/assets\/icon-[A-Z0-9]{8}\.svg$/);
  const size = await page.evaluate(`new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => resolve([image.naturalWidth, image.naturalHeight]);
    image.onerror = () => reject(new Error('no picture'));
    image.src = ${JSON.stringify(icon)};
  })`);
  expect(size).toEqual([32, 32]);
  expect(visit.violations).toEqual([]);
});
