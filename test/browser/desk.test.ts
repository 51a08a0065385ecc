// The page on a computer: a picture of the code is dropped or pasted, or the payer goes on with the
// phone. Drops and pastes are events with real files that the tests dispatch: no browser lets a
// program drag files into it.
import { readFileSync } from 'node:fs';
import { withVisits } from './checkout-world';
import { qrPhoto } from './qr-pictures';
import { BARE_CODE, FULL_CODE } from './scanned-codes';
import { DESK, paste } from './screens';
import type { Visit } from './visit';

const JSQR = readFileSync(require.resolve('jsqr'), 'utf8');

const visits = withVisits();
const { world } = visits;

const heading = ({ page }: Visit, name: string) =>
  page.getByRole('heading', { name, level: 1 }).waitFor();
const onPhone = ({ page }: Visit) => page.getByRole('button', { name: 'Continue on your phone' });
const isCodeShown = ({ page }: Visit) => page.getByRole('img').isVisible();
const pay = (visit: Visit) => visit.page.getByRole('button', { name: /^Pay / }).click();

async function openDesk(link = world.link(visits.intent)): Promise<Visit> {
  const visit = await visits.open(link, { viewport: DESK });
  await heading(visit, 'Scan the QR code');
  return visit;
}

async function openPhone(link: string): Promise<Visit> {
  const visit = await visits.open(link);
  await heading(visit, 'Scan the QR code');
  return visit;
}

/** Dispatches the event, and returns whether the browser's own action is left. */
function transfer({ page }: Visit, type: 'drop' | 'paste', content: string): Promise<boolean> {
  return page.evaluate<boolean>(`(() => {
    const transfer = new DataTransfer();
    ${content}
    const options = { bubbles: true, cancelable: true };
    return document.body.dispatchEvent(${
      type === 'drop'
        ? "new DragEvent('drop', { ...options, dataTransfer: transfer })"
        : "new ClipboardEvent('paste', { ...options, clipboardData: transfer })"
    });
  })()`);
}

const file = (bytes: string) => `transfer.items.add(new File([${bytes}], 'code.png'));`;
const picture = async (code: string) =>
  file(
    `Uint8Array.from(atob('${(await qrPhoto(code)).toString('base64')}'), (c) => c.charCodeAt(0))`,
  );

describe('a picture', () => {
  it('comes first, before the camera and the phone', async () => {
    const { page } = await openDesk();
    const offered = await page.locator('main .button').allTextContents();
    expect(offered.slice(0, 3)).toEqual([
      expect.stringMatching(/^Drop a picture of the code here/),
      'Scan with the camera',
      'Continue on your phone',
    ]);
  });

  it.each(['drop', 'paste'] as const)('is read after a %s anywhere on the page', async (type) => {
    const visit = await openDesk();
    await transfer(visit, type, await picture(FULL_CODE));
    await heading(visit, 'Check the payment');
    expect(visit.violations).toEqual([]);
  });

  it('of more than 30 MB is rejected unread', async () => {
    const visit = await openDesk();
    await transfer(visit, 'drop', file('new Uint8Array(30_000_001)'));
    await visit.page.getByRole('alert').getByText('larger than 30 MB').waitFor();
    expect(world.network.arrivals.filter(({ url }) => url.includes('scanner'))).toEqual([]);
  });
});

const IN_LOWER_CASE = '00020101021129370016A0000006770101110113006681234567853037645802TH6304823e';

it.each([
  ['', FULL_CODE],
  [' whose check value is in lower case', IN_LOWER_CASE],
])('the text of a code%s is read after a paste anywhere on the page', async (_what, code) => {
  const visit = await openDesk();
  await transfer(visit, 'paste', `transfer.setData('text/plain', ${JSON.stringify(code)});`);
  await heading(visit, 'Check the payment');
  expect(visit.violations).toEqual([]);
});

it('a link that is dropped does not lead away from the payment', async () => {
  const visit = await openDesk();
  const link = "transfer.setData('text/uri-list', 'https://elsewhere.example/');";
  expect(await transfer(visit, 'drop', link)).toBe(false);
});

describe('"Continue on your phone"', () => {
  it('shows the link of this payment as a QR code, after a click and not before', async () => {
    const link = world.link(visits.intent);
    const visit = await openDesk(link);
    expect(await isCodeShown(visit)).toBe(false);
    expect(world.network.arrivals.filter(({ url }) => url.includes('link-code'))).toEqual([]);
    await onPhone(visit).click();
    await visit.page.getByRole('img').waitFor();
    expect(await decode(visit)).toBe(link);
    expect(visit.violations).toEqual([]);
  });

  it('is not offered on a phone', async () => {
    expect(await onPhone(await openPhone(world.link(visits.intent))).count()).toBe(0);
  });

  it('hides the code after 30 seconds', async () => {
    const visit = await openDesk();
    await visit.page.clock.install();
    await onPhone(visit).click();
    await visit.page.getByRole('img').waitFor();
    await visit.page.clock.fastForward(30_000);
    await heading(visit, 'Scan the QR code');
    expect(await isCodeShown(visit)).toBe(false);
  });

  it('hides the code after a click on "Hide the code"', async () => {
    const visit = await openDesk();
    await onPhone(visit).click();
    await visit.page.getByRole('img').waitFor();
    await visit.page.getByRole('button', { name: 'Hide the code' }).click();
    await heading(visit, 'Scan the QR code');
    expect(await isCodeShown(visit)).toBe(false);
    expect(visit.violations).toEqual([]);
  });

  it('hides the code when the page is hidden', async () => {
    const visit = await openDesk();
    await onPhone(visit).click();
    await visit.page.getByRole('img').waitFor();
    // A headless browser never hides a page: the script says so in its place.
    await visit.page.evaluate(`
      Object.defineProperty(document, 'visibilityState', { value: 'hidden' });
      document.dispatchEvent(new Event('visibilitychange'));`);
    await heading(visit, 'Scan the QR code');
    expect(await isCodeShown(visit)).toBe(false);
  });

  it('explains a code that cannot be loaded', async () => {
    const visit = await openDesk();
    world.network.loseAnswersTo(/link-code/);
    await onPhone(visit).click();
    await visit.page.getByRole('alert').getByText('The code could not be made').waitFor();
    expect(await isCodeShown(visit)).toBe(false);
  });

  it('shows the outcome once the phone has paid', async () => {
    const link = world.link(visits.intent);
    const desk = await openDesk(link);
    await onPhone(desk).click();
    await desk.page.getByRole('img').waitFor();
    const phone = await openPhone(await decode(desk));
    await paste(phone, FULL_CODE);
    await pay(phone);
    await heading(phone, 'Paid');
    await heading(desk, 'Paid');
    expect(await desk.page.getByText('This payment was confirmed before').isVisible()).toBe(true);
  });

  it('never shows the computer’s code as paid when the phone has paid another', async () => {
    const link = world.link(visits.intent);
    const desk = await openDesk(link);
    await paste(desk, FULL_CODE);
    await heading(desk, 'Check the payment');
    const phone = await openPhone(link);
    await paste(phone, BARE_CODE);
    await pay(phone);
    await heading(phone, 'Paid');
    await pay(desk);
    await heading(desk, 'Paid');
    expect(await desk.page.getByText('This payment was confirmed before').isVisible()).toBe(true);
    expect(await desk.page.getByText('BAAN SOMTUM').count()).toBe(0);
    expect(world.app.payouts.filter(({ intentId }) => intentId === visits.intent.intentId)).toEqual(
      [{ intentId: visits.intent.intentId, qrPayload: BARE_CODE }],
    );
  });
});

/** Reads the code from a picture of the screen, as a phone does. */
async function decode({ page }: Visit): Promise<string> {
  const shot = (await page.locator('.code').screenshot({ scale: 'css' })).toString('base64');
  await page.evaluate(JSQR);
  return page.evaluate<string>(`(async () => {
    const bytes = Uint8Array.from(atob('${shot}'), (c) => c.charCodeAt(0));
    const picture = await createImageBitmap(new Blob([bytes]));
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    const context = canvas.getContext('2d');
    context.drawImage(picture, 0, 0);
    const { data, width, height } = context.getImageData(0, 0, picture.width, picture.height);
    return jsQR(data, width, height).data;
  })()`);
}
