// The page on a computer: a picture of the code is dropped or pasted. Drops and pastes are events
// with real files that the tests dispatch: no browser lets a program drag files into it.
import { withVisits } from './checkout-world';
import { qrPhoto } from './qr-pictures';
import { BARE_CODE, FULL_CODE } from './scanned-codes';
import { DESK, paste } from './screens';
import type { Visit } from './visit';

const visits = withVisits();
const { world } = visits;

const heading = ({ page }: Visit, name: string) =>
  page.getByRole('heading', { name, level: 1 }).waitFor();
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
  it('comes first, before the camera', async () => {
    const { page } = await openDesk();
    const offered = await page.locator('main .button').allTextContents();
    expect(offered.slice(0, 2)).toEqual([
      expect.stringMatching(/^Drop a picture of the code here/),
      'Scan with the camera',
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
  expect(world.app.payouts.filter(({ intentId }) => intentId === visits.intent.intentId)).toEqual([
    { intentId: visits.intent.intentId, qrPayload: BARE_CODE },
  ]);
});
