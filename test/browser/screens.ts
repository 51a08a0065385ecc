// Every screen of the checkout, and the steps of a payer that lead to it.
import type { BrowserContextOptions } from 'playwright-core';
import type { IntentEvent } from '../../src/domain/intents/transitions';
import type { PaymentIntent } from '../../src/domain/intents/payment-intent';
import { anIntent, aTokenUse, move as moveRow } from '../support/builders';
import { aVietnameseCode } from '../support/payments/qr-codes';
import type { CheckoutWorld, LinkOptions } from './checkout-world';
import { BARE_CODE, FULL_CODE, SAMPLE_CODES } from './scanned-codes';
import type { Visit } from './visit';

export const SMALLEST = { width: 320, height: 568 };
export const DESK = { width: 1280, height: 800 };

interface Tour {
  readonly world: CheckoutWorld;
  open(address: string, options?: BrowserContextOptions): Promise<Visit>;
}

interface ScreenStop {
  /** Also the name of its picture. */
  readonly name: string;
  /** In English. */
  readonly heading: string;
  readonly reach: (tour: Tour) => Promise<Visit>;
}

const screen = (name: string, heading: string, reach: ScreenStop['reach']): ScreenStop => ({
  name,
  heading,
  reach,
});

export const SCREENS: readonly ScreenStop[] = [
  screen('opening', 'Opening your payment', held(/\/session$/)),
  screen('unreachable', 'No connection to the payment service', async (tour) => {
    tour.world.network.loseAnswersTo(/\/session$/);
    return tour.open((await fresh(tour)).link);
  }),
  screen('scan', 'Scan the QR code', scan),
  screen('scan-camera', 'Scan the QR code', async (tour) => {
    const visit = await scan(tour);
    await visit.page.getByRole('button', { name: 'Scan with the camera' }).click();
    await visit.page.getByRole('alert').getByText('another country').waitFor();
    return visit;
  }),
  screen('scan-wrong-country', 'Scan the QR code', async (tour) => {
    const visit = await scan(tour);
    await paste(visit, aVietnameseCode());
    await visit.page.getByRole('alert').getByText('another country').waitFor();
    return visit;
  }),
  screen('desk', 'Scan the QR code', desk),
  screen('review', 'Check the payment', (tour) => review(tour, FULL_CODE)),
  screen('review-person', 'Check the payment', (tour) => review(tour, BARE_CODE)),
  screen('left', 'Not confirmed', left),
  screen('working-sent', 'Processing your payment', async (tour) => {
    tour.world.network.hold(/\/confirm$/);
    return confirmed(tour);
  }),
  screen('working-unanswered', 'Processing your payment', async (tour) => {
    tour.world.network.loseAnswersTo(/\/(confirm|status)$/);
    const visit = await confirmed(tour);
    await visit.page.getByText('no answer yet').first().waitFor();
    return visit;
  }),
  screen('working-confirmed', 'Processing your payment', async (tour) => {
    tour.world.app.mode = 'authorize';
    const visit = await confirmed(tour);
    await visit.page.getByText('Waiting for the payout').first().waitFor();
    return visit;
  }),
  screen('captured', 'Paid', (tour) => confirmed(tour)),
  screen('failed', 'Not paid', ended('fail')),
  screen('cancelled', 'Cancelled', ended('cancel')),
  screen('unknown', 'We do not know yet', async (tour) => {
    // The session expires while the page waits for the answer.
    tour.world.network.loseAnswersTo(/\/confirm$/);
    tour.world.app.mode = 'no_answer';
    const visit = await confirmed(tour);
    await visit.page.getByText('no answer yet').first().waitFor();
    tour.world.bed.clock.turnTo(new Date(tour.world.now.getTime() + 601_000));
    tour.world.network.mend();
    return visit;
  }),
  screen('pending', 'Still being paid', async (tour) => {
    tour.world.app.mode = 'authorize';
    const visit = await confirmed(tour);
    await visit.page.getByText('Waiting for the payout').first().waitFor();
    tour.world.bed.clock.turnTo(new Date(tour.world.now.getTime() + 601_000));
    return visit;
  }),
  screen('other-code', 'Another code came first', async (tour) => {
    const { intent, link } = await fresh(tour);
    return pay(await openScan(tour, link), () => move(tour, intent, 'authorize'));
  }),
  screen('closed', 'This payment is closed', async (tour) => {
    const { intent, link } = await fresh(tour);
    return pay(await openScan(tour, link), () => move(tour, intent, 'cancel'));
  }),
  screen('invalid', 'This link does not work', async (tour) =>
    tour.open((await fresh(tour, { token: 'a.b.c' })).link),
  ),
  screen('expired', 'This link has expired', async (tour) => {
    const iat = Math.floor(tour.world.now.getTime() / 1_000) - 660;
    return tour.open((await fresh(tour, { claims: { iat, exp: iat + 600 } })).link);
  }),
  screen('time-over', 'This link has expired', async (tour) => {
    const exp = Math.floor(tour.world.now.getTime() / 1_000) + 1;
    return tour.open((await fresh(tour, { claims: { exp } })).link);
  }),
  screen('used-captured', 'Paid', async (tour) => {
    const { link } = await fresh(tour);
    const first = await pay(await openScan(tour, link));
    await first.untilHandedOver();
    await first.close();
    return tour.open(link);
  }),
  screen('used-pending', 'Already confirmed', async (tour) => {
    const { intent, link } = await fresh(tour);
    await move(tour, intent, 'authorize');
    return tour.open(link);
  }),
];

/**
 * The pictures in docs/checkout: screens in light and English, those in the dark, those in another
 * language on the smallest phone, and the codes.
 */
export const PICTURES: readonly string[] = [
  ...['scan', 'scan-camera', 'review', 'other-code'],
  ...['working-confirmed', 'working-unanswered', 'captured', 'failed', 'unknown'],
  ...['used-captured', 'desk'],
  ...['scan-dark', 'review-dark', 'captured-dark', 'desk-dark'],
  ...['scan-th', 'review-th', 'review-vi', 'failed-vi'],
  ...Object.keys(SAMPLE_CODES),
];

async function fresh({ world }: Tour, options?: LinkOptions) {
  const intent = await anIntent(world.bed, world.partner);
  return { intent, link: world.link(intent, options) };
}

function held(path: RegExp) {
  return async (tour: Tour) => {
    tour.world.network.hold(path);
    return tour.open((await fresh(tour)).link);
  };
}

async function scan(tour: Tour): Promise<Visit> {
  return openScan(tour, (await fresh(tour)).link);
}

async function desk(tour: Tour): Promise<Visit> {
  const visit = await tour.open((await fresh(tour)).link, { viewport: DESK });
  await visit.page.getByRole('heading', { name: 'Scan the QR code' }).waitFor();
  return visit;
}

async function openScan(tour: Tour, link: string): Promise<Visit> {
  const visit = await tour.open(link);
  await visit.page.getByRole('heading', { name: 'Scan the QR code' }).waitFor();
  return visit;
}

export async function paste({ page }: Visit, code: string): Promise<void> {
  await page.locator('summary').click();
  await page.getByLabel('Text of the QR code').fill(code);
  await page.getByRole('button', { name: 'Use this text' }).click();
}

export async function chooseLanguage({ page }: Visit, language: string): Promise<void> {
  // The camera covers the choice.
  await page.locator('select').selectOption(language, { force: true });
}

async function review(tour: Tour, code: string): Promise<Visit> {
  const visit = await scan(tour);
  await paste(visit, code);
  await visit.page.getByRole('heading', { name: 'Check the payment' }).waitFor();
  return visit;
}

async function left(tour: Tour): Promise<Visit> {
  const visit = await scan(tour);
  await visit.page.getByRole('button', { name: 'Cancel' }).click();
  return visit;
}

async function confirmed(tour: Tour): Promise<Visit> {
  return pay(await scan(tour));
}

/** @param between runs before the payer confirms */
export async function pay(visit: Visit, between = () => Promise.resolve()): Promise<Visit> {
  await paste(visit, FULL_CODE);
  await between();
  await visit.page.getByRole('button', { name: /^Pay / }).click();
  return visit;
}

function ended(event: 'fail' | 'cancel') {
  return async (tour: Tour) => {
    const { world } = tour;
    world.app.mode = 'authorize';
    const { intent, link } = await fresh(tour);
    const visit = await pay(await openScan(tour, link));
    await visit.page.getByText('Waiting for the payout').first().waitFor();
    await move(tour, intent, event);
    return visit;
  };
}

/** Moves the payment without the page. */
export async function move(
  { world }: Pick<Tour, 'world'>,
  intent: PaymentIntent,
  event: IntentEvent,
): Promise<void> {
  const { bed } = world;
  if (event === 'capture' || event === 'fail') {
    await moveRow(bed, intent.intentId, event);
    return;
  }
  const { status: from } = await bed.intents.readCurrentState(intent.intentId);
  const token =
    event === 'authorize'
      ? { token: { ...aTokenUse(world.partner), expiresAtMs: world.now.getTime() + 600_000 } }
      : {};
  await moveRow(bed, intent.intentId, event, { from, ...token });
}
