// One link on two devices, or in two tabs: neither says what the other has made false.
import { aTokenUse } from '../support/builders';
import { withVisits } from './checkout-world';
import { BARE_CODE, FULL_CODE } from './scanned-codes';
import { move, pay, paste } from './screens';
import type { Visit } from './visit';

const visits = withVisits();
const { world } = visits;

const heading = ({ page }: Visit, name: string) =>
  page.getByRole('heading', { name, level: 1 }).waitFor();
const text = ({ page }: Visit, part: string) => page.getByText(part).first().waitFor();
const press = ({ page }: Visit) => page.getByRole('button', { name: /^Pay / }).click();

async function openReview(link: string, code: string): Promise<Visit> {
  const visit = await visits.open(link);
  await heading(visit, 'Scan the QR code');
  await paste(visit, code);
  await heading(visit, 'Check the payment');
  return visit;
}

it('a page without an answer does not say that nothing is confirmed', async () => {
  const link = world.link(visits.intent);
  await heading(await pay(await visits.open(link)), 'Paid');
  world.network.loseAnswersTo(/\/status$/);
  const second = await visits.open(link);
  await heading(second, 'No connection to the payment service');
  expect(await second.shown()).not.toMatch(/not confirmed/i);
});

it('a page whose link ends does not say that nothing is confirmed', async () => {
  const first = await visits.openLink({ token: 'a.b.c' });
  await first.page.clock.install();
  const link = world.link(visits.intent);
  await first.page.goto(link);
  await heading(first, 'Scan the QR code');
  world.app.mode = 'authorize';
  await text(await pay(await visits.open(link)), 'Waiting for the payout');
  await first.page.clock.fastForward(600_000);
  await heading(first, 'This link has expired');
  expect(await first.shown()).not.toMatch(/not confirmed/i);
});

it('a page shows the payment of another code while its confirm is not answered yet', async () => {
  const claims = { jti: 'of-both-devices' };
  const visit = await openReview(world.link(visits.intent, { claims }), FULL_CODE);
  const { intentId } = visits.intent;
  const expiresAtMs = world.now.getTime() + 600_000;
  const token = { ...aTokenUse(world.partner, claims.jti), expiresAtMs };
  await world.bed.tokens.storePayload(intentId, token, { qrPayload: BARE_CODE });
  const authorized = { intentId, from: 'created', event: 'authorize', actor: 'payer' } as const;
  await world.bed.intents.transition({ ...authorized, token });
  await press(visit);
  await heading(visit, 'Already confirmed');
  expect(await visit.shown()).not.toMatch(/no effect/);
});

it('a page without an answer names no merchant: another page may have paid another', async () => {
  const link = world.link(visits.intent);
  const [offline, paying] = [await openReview(link, FULL_CODE), await openReview(link, BARE_CODE)];
  await offline.page.context().setOffline(true);
  await press(offline);
  await text(offline, 'we do not know whether your confirmation has arrived');
  world.app.mode = 'authorize';
  await press(paying);
  await text(paying, 'Waiting for the payout');
  await offline.page.context().setOffline(false);
  await text(offline, 'Waiting for the payout');
  expect(await offline.page.getByText('BAAN SOMTUM').count()).toBe(0);
  const { intentId, amountUsdCents } = visits.intent;
  await world.bed.funds.debit(intentId, amountUsdCents);
  await move({ world }, visits.intent, 'capture');
  await heading(offline, 'Paid');
  expect(await offline.page.getByText('BAAN SOMTUM').count()).toBe(0);
});
