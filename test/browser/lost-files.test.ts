// A script or a style sheet that does not arrive: the page is readable in three languages, and its
// reload button continues the same payment.
import { withVisits } from './checkout-world';
import type { Visit } from './visit';

const visits = withVisits();
const { world } = visits;
const SCRIPT = /\/main-\w+\.js$/;
const STYLE = /\/style-\w+\.css$/;
const RELOAD = ['Reload this page', 'โหลดหน้านี้ใหม่', 'Tải lại trang này'] as const;

const reload = ({ page }: Visit, name: string = RELOAD[0]) =>
  page.getByRole('button', { name, exact: true });
const onScan = ({ page }: Visit) =>
  page.getByRole('heading', { name: 'Scan the QR code' }).waitFor();
const withoutScript = async () => {
  world.network.loseAnswersTo(SCRIPT);
  const visit = await visits.openLink();
  await reload(visit).waitFor();
  return visit;
};
const withoutStyle = async () => {
  world.network.loseAnswersTo(STYLE);
  const visit = await visits.openLink();
  await onScan(visit);
  return visit;
};

describe('without its script', () => {
  it('the page says so in three languages', async () => {
    const { page } = await withoutScript();
    for (const text of ['was not loaded', 'โหลดไม่สำเร็จ', 'chưa tải được', 'Opening your payment']) {
      expect(await page.getByText(text).isVisible()).toBe(true);
    }
  });

  it.each(RELOAD)('the button %s opens the payment of the link', async (name) => {
    const visit = await withoutScript();
    world.network.mend();
    await reload(visit, name).click();
    await onScan(visit);
    expect(visit.violations).toEqual([]);
  });

  it('the button works again when the script is lost again', async () => {
    const visit = await withoutScript();
    for (let time = 0; time < 2; time += 1) {
      const isLostAgain = visit.page.waitForEvent('requestfailed', (request) =>
        SCRIPT.test(request.url()),
      );
      await reload(visit).click();
      await isLostAgain;
    }
    world.network.mend();
    await reload(visit).click();
    await onScan(visit);
    expect(visit.violations).toEqual([]);
  });

  it('the page is readable while the script does not answer', async () => {
    const visit = await withoutScript();
    world.network.mend();
    world.network.hold(SCRIPT);
    await visit.page.reload({ waitUntil: 'commit' });
    for (const name of RELOAD) await reload(visit, name).waitFor();
    expect(await visit.page.getByText('Opening your payment').isVisible()).toBe(true);
  });
});

describe('without its style', () => {
  it('the page works, and says in three languages that a part is missing', async () => {
    const visit = await withoutStyle();
    for (const name of RELOAD) expect(await reload(visit, name).isVisible()).toBe(true);
    expect(await visit.page.getByText('Opening your payment').count()).toBe(0);
  });

  it('the button brings the style and continues the payment', async () => {
    const visit = await withoutStyle();
    world.network.mend();
    await reload(visit).click();
    await reload(visit).waitFor({ state: 'hidden' });
    await onScan(visit);
    expect(visit.page.url()).toMatch(/\/scan$/);
  });

  it('an icon is no larger than with it', async () => {
    const visit = await withoutStyle();
    await visit.page.getByRole('button', { name: 'Cancel' }).click();
    const icon = await visit.page.locator('svg').first().boundingBox();
    expect(icon).toMatchObject({ width: 48, height: 48 });
  });
});

it('with both, the page shows no reload button', async () => {
  const visit = await visits.openLink();
  await onScan(visit);
  expect(await reload(visit).count()).toBe(0);
});
