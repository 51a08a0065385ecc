// A network that fails and comes back. Before the confirmation nothing is lost. After it the page
// shows what is known, keeps reading the status, and never says that the payment has failed
// (architecture, section 1: no outcome is ever guessed).
import { countOf, move } from '../support/builders';
import { withVisits } from './checkout-world';
import { qrPhoto } from './qr-pictures';
import { FULL_CODE } from './scanned-codes';
import { paste } from './screens';
import type { Visit } from './visit';

const visits = withVisits();
const { world, backIn } = visits;
let visit: Visit;

const heading = (name: string) => visit.page.getByRole('heading', { name, level: 1 }).waitFor();
const text = (part: string) => visit.page.getByText(part).first().waitFor();
const confirms = () => world.network.arrivals.filter(({ url }) => url.endsWith('/confirm'));

async function pay(): Promise<void> {
  visit = await visits.openLink();
  await heading('Scan the QR code');
  await paste(visit, FULL_CODE);
  await visit.page.getByRole('button', { name: /^Pay / }).click();
}

async function expectPaidOnce(): Promise<void> {
  expect(await visit.untilHandedOver()).toBe(backIn('captured'));
  expect(await visit.shown()).not.toMatch(/not paid|failed/i);
  const transfers = `select count(*) from ledger_transfers where transfer_key = $1`;
  expect(await countOf(world.bed, transfers, [`${visits.intent.intentId}:debit`])).toBe(1);
  const bearers = confirms().map(({ headers }) => headers.authorization);
  expect(new Set(bearers).size).toBe(1);
  expect(new Set(confirms().map(({ body }) => body))).toEqual(
    new Set([JSON.stringify({ qr_payload: FULL_CODE })]),
  );
}

describe('after the confirmation', () => {
  it('the page requests the status after a lost answer, and the payment is made once', async () => {
    world.network.loseAnswersTo(/\/confirm$/);
    await pay();
    await expectPaidOnce();
  });

  it('the page waits for a network that is lost completely', async () => {
    world.network.hold(/\/confirm$/);
    await pay();
    await text('Sending your confirmation');
    world.network.cut();
    await text('we do not know whether your confirmation has arrived');
    world.network.mend();
    await expectPaidOnce();
  });

  it('a confirmed payment goes on without the network, and the page says so', async () => {
    world.app.mode = 'authorize';
    await pay();
    await text('Waiting for the payout');
    world.network.cut();
    await text('the payment goes on without it');
    const { intentId, amountUsdCents } = visits.intent;
    await world.bed.funds.debit(intentId, amountUsdCents);
    await move(world.bed, intentId, 'capture');
    world.network.mend();
    await expectPaidOnce();
  });

  it('the page says that the phone is offline, and continues when it is back', async () => {
    world.network.hold(/\/confirm$/);
    await pay();
    await text('Sending your confirmation');
    await visit.page.context().setOffline(true);
    world.network.cut();
    await text('You are offline, so we do not know');
    world.network.mend();
    await visit.page.context().setOffline(false);
    await expectPaidOnce();
  });

  it('the page does not say that a confirm goes on that has not left the phone', async () => {
    visit = await visits.openLink();
    await heading('Scan the QR code');
    await paste(visit, FULL_CODE);
    await visit.page.clock.install();
    await visit.page.context().setOffline(true);
    await visit.page.getByRole('button', { name: /^Pay / }).click();
    await text('You are offline, so we do not know');
    await visit.page.clock.fastForward(10_000);
    await text('This takes longer than usual');
    expect(await visit.shown()).not.toMatch(/on its way|payment goes on/);
  });

  it('the page repeats the confirm with the same token when the service does not know the outcome', async () => {
    world.app.mode = 'no_answer';
    await pay();
    await text('we do not know whether your confirmation has arrived');
    world.app.mode = 'settle';
    await expectPaidOnce();
    expect(confirms().length).toBeGreaterThan(1);
  });

  it('a reloaded page continues to request the status', async () => {
    world.network.hold(/\/confirm$/);
    await pay();
    await text('Sending your confirmation');
    await visit.page.reload();
    await heading('Processing your payment');
    world.network.mend();
    await expectPaidOnce();
  });

  it('after the session has expired the outcome is unknown, and the app gets pending', async () => {
    world.network.loseAnswersTo(/\/confirm$/);
    world.app.mode = 'no_answer';
    await pay();
    await text('we do not know whether your confirmation has arrived');
    world.bed.clock.turnTo(new Date(world.now.getTime() + 601_000));
    world.network.mend();
    await heading('We do not know yet');
    await visit.page.getByRole('button', { name: 'Back to the app' }).click();
    expect(await visit.untilHandedOver()).toBe(backIn('pending'));
    expect(await visit.shown()).not.toMatch(/not paid|failed/i);
  });
});

describe('before the confirmation', () => {
  it('the page requests the session again when it gets no answer', async () => {
    world.network.loseAnswersTo(/\/session$/);
    visit = await visits.openLink();
    await heading('No connection to the payment service');
    world.network.mend();
    await visit.page.getByRole('button', { name: 'Try now' }).click();
    await heading('Scan the QR code');
    expect(confirms()).toEqual([]);
  });

  it('the page says that the phone is offline, and keeps the scanned code', async () => {
    visit = await visits.openLink();
    await heading('Scan the QR code');
    await paste(visit, FULL_CODE);
    await visit.page.context().setOffline(true);
    await text('You are offline');
    await visit.page.getByRole('button', { name: /^Pay / }).click();
    await text('You are offline, so we do not know');
    await visit.page.context().setOffline(false);
    await expectPaidOnce();
  });

  it('the page explains a scanner that cannot be loaded, and the text of the code works', async () => {
    world.network.loseAnswersTo(/\/scanner-/);
    visit = await visits.openLink();
    await visit.page.getByRole('button', { name: 'Scan with the camera' }).click();
    await text('The scanner could not be loaded');
    await paste(visit, FULL_CODE);
    await heading('Check the payment');
    expect(visit.violations).toEqual([]);
  });

  it('a photo is not called unreadable when a part of the scanner is lost', async () => {
    world.network.loseAnswersTo(/\/decoder-worker-/);
    visit = await visits.openLink();
    const photo = { name: 'code.png', mimeType: 'image/png', buffer: await qrPhoto(FULL_CODE) };
    await visit.page.getByLabel('Choose a photo of the code').setInputFiles(photo);
    await text('The scanner could not be loaded');
    expect(await visit.shown()).not.toMatch(/cannot be read/);
  });

  it('the page loads the scanner again once the network is back', async () => {
    world.network.loseAnswersTo(/\/scanner-/);
    visit = await visits.openLink();
    const { page } = visit;
    await page.getByRole('button', { name: 'Scan with the camera' }).click();
    await text('The scanner could not be loaded');
    world.network.mend();
    const photo = { name: 'code.png', mimeType: 'image/png', buffer: await qrPhoto(FULL_CODE) };
    await page.getByLabel('Choose a photo of the code').setInputFiles(photo);
    await heading('Check the payment');
    expect(visit.violations).toEqual([]);
  });

  it('the page works without its style sheet', async () => {
    world.network.loseAnswersTo(/\.css$/);
    await pay();
    await expectPaidOnce();
  });
});
