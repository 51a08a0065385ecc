// The end of a visit: what became of the money, when, under which reference, and what to do next.
import { withVisits } from './checkout-world';
import { FULL_CODE } from './scanned-codes';
import { move, pay, paste } from './screens';
import type { Visit } from './visit';

const visits = withVisits();
const { world } = visits;
const heading = ({ page }: Visit, name: string) =>
  page.getByRole('heading', { name, level: 1 }).waitFor();
const says = ({ page }: Visit, text: string) => page.getByText(text).isVisible();

async function openScan(): Promise<Visit> {
  const visit = await visits.open(world.link(visits.intent), { timezoneId: 'Asia/Bangkok' });
  await heading(visit, 'Scan the QR code');
  return visit;
}

it('a paid payment shows the service’s time, its reference, and what to do next', async () => {
  world.network.setDate(new Date('2030-01-02T03:04:05Z'));
  const visit = await pay(await openScan());
  await heading(visit, 'Paid');
  const receipt = visit.page.locator('.receipt');
  expect(await receipt.getByRole('definition').allTextContents()).toEqual([
    expect.stringMatching(/^Jan 2, 2030, 10:04\sAM$/),
    visits.intent.intentId,
  ]);
  await visit.page.getByRole('heading', { name: 'What to do next' }).waitFor();
  expect(await says(visit, 'You were not charged')).toBe(false);
});

it('a failed payment says that the payer was not charged', async () => {
  world.app.mode = 'authorize';
  const visit = await pay(await openScan());
  await visit.page.getByText('Waiting for the payout').first().waitFor();
  expect(await says(visit, 'You were not charged')).toBe(false);
  await move({ world }, visits.intent, 'fail');
  await heading(visit, 'Not paid');
  expect(await says(visit, 'You were not charged')).toBe(true);
});

it('a payment with another code shows neither the merchant of this one nor a charge', async () => {
  const visit = await openScan();
  await paste(visit, FULL_CODE);
  await move({ world }, visits.intent, 'authorize');
  await visit.page.getByRole('button', { name: /^Pay / }).click();
  await heading(visit, 'Another code came first');
  expect(await says(visit, 'BAAN SOMTUM')).toBe(false);
  expect(await says(visit, 'You were not charged')).toBe(false);
  expect(await says(visit, 'Do not pay again')).toBe(true);
});

it('a page that is reloaded after the result says that the app shows what was paid', async () => {
  const visit = await pay(await openScan());
  await heading(visit, 'Paid');
  await visit.page.reload();
  await visit.page.getByText('The app shows whether anything was paid').waitFor();
  expect(await says(visit, 'belongs to no payment')).toBe(false);
});

it('a link that does not work shows no reference: anybody can write one into an address', async () => {
  const visit = await visits.openLink({ token: 'a.b.c' });
  await heading(visit, 'This link does not work');
  expect(await says(visit, visits.intent.intentId)).toBe(false);
});
