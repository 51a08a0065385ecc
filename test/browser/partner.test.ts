// The partner on the page (decision 144): its name is text, its logo may fail, and neither moves
// anything when it arrives.
import { setPartner } from '../../src/ops/partners/set';
import { withVisits } from './checkout-world';
import { layoutShiftsOf } from './layout-shifts';
import { FULL_CODE } from './scanned-codes';
import { paste } from './screens';
import type { Visit } from './visit';

const visits = withVisits();
const { world } = visits;
const setName = (displayName: string) =>
  setPartner(
    world.bed,
    { partnerId: world.partner.partnerId, displayName },
    { actor: 'ann', reason: null },
  );
afterEach(() => setName('Siam Travel'));

const place = ({ page }: Visit) => page.locator('.partner');
const onScan = async (visit: Visit) => {
  await visit.page.getByRole('heading', { name: 'Scan the QR code' }).waitFor();
};
it('the page shows the name and the logo, and stays still when they arrive', async () => {
  world.network.hold(/\/session$/);
  const visit = await visits.openLink();
  await visit.page.getByRole('heading', { name: 'Opening your payment' }).waitFor();
  expect(await place(visit).textContent()).toBe('');
  const before = await place(visit).boundingBox();
  world.network.mend();
  await onScan(visit);
  expect(await place(visit).textContent()).toBe('Siam Travel');
  const width = `(async (logo) => { await logo.decode(); return logo.naturalWidth; })`;
  expect(await visit.page.evaluate(`${width}(document.querySelector('.partner img'))`)).toBe(128);
  expect(await place(visit).boundingBox()).toEqual(before);
  expect(await layoutShiftsOf(visit)).toEqual([]);
});

it.each([
  ['<img src=x onerror=alert(1)>'],
  ['&lt;b&gt; {{name}} ${name} %s'],
  ['W'.repeat(40)],
  ['ก็ที่นี่'.repeat(5)],
  ['שלום Travel'],
])('the name %s is text, in one place, on a small phone', async (name) => {
  await setName(name);
  const visit = await visits.openLink();
  await onScan(visit);
  expect(await place(visit).locator('bdi').textContent()).toBe(name.normalize('NFC'));
  await visit.page.setViewportSize({ width: 320, height: 568 });
  const overflow = 'document.documentElement.scrollWidth - innerWidth';
  expect(await visit.page.evaluate(overflow)).toBe(0);
  expect((await place(visit).boundingBox())?.height).toBe(44);
  expect(visit.violations).toEqual([]);
});

it('a logo that does not arrive leaves the name', async () => {
  world.network.loseAnswersTo(/^\/flow\/logos\//);
  const visit = await visits.openLink();
  await onScan(visit);
  await place(visit).locator('img').waitFor({ state: 'detached' });
  expect(await place(visit).textContent()).toBe('Siam Travel');
});

it('the name is there after a reload under way, when the token is used', async () => {
  world.app.mode = 'authorize';
  const visit = await visits.openLink();
  await onScan(visit);
  await paste(visit, FULL_CODE);
  await visit.page.getByRole('button', { name: /^Pay / }).click();
  await visit.page.getByText('Waiting for the payout').first().waitFor();
  await visit.page.reload();
  await visit.page.getByText('Waiting for the payout').first().waitFor();
  expect(await place(visit).textContent()).toBe('Siam Travel');
});

it('a link that does not work shows no name', async () => {
  const visit = await visits.openLink({ token: 'a.b.c' });
  await visit.page.getByRole('heading', { name: 'This link does not work' }).waitFor();
  expect(await place(visit).textContent()).toBe('');
});

it.each([
  ['en-GB', 'Secured by 127.0.0.1'],
  ['th-TH', 'ดูแลความปลอดภัยโดย 127.0.0.1'],
  ['vi-VN', 'Được bảo mật bởi 127.0.0.1'],
])('in %s the foot of the page says %s', async (locale, text) => {
  const visit = await visits.open(world.link(visits.intent), { locale });
  await visit.page.getByRole('contentinfo').waitFor();
  expect(await visit.page.getByRole('contentinfo').textContent()).toBe(text);
});
