// Every screen of the checkout, and how a payer gets there.
import type { IntentEvent } from '../../src/domain/intent-transitions';
import type { PaymentIntent } from '../../src/domain/payment-intent';
import { anIntent, aTokenUse } from '../support/builders';
import { aVietnameseCode } from '../support/qr-codes';
import type { CheckoutWorld, LinkWish } from './checkout-world';
import { BARE_CODE, FULL_CODE, SAMPLE_CODES } from './scanned-codes';
import type { Visit } from './visit';

export interface Tour {
  readonly world: CheckoutWorld;
  open(address: string): Promise<Visit>;
}

export interface ScreenStop {
  /** Of its picture too. */
  readonly name: string;
  /** In English. */
  readonly heading: string;
  readonly reach: (tour: Tour) => Promise<Visit>;
}

export const SCREENS: readonly ScreenStop[] = [
  { name: 'opening', heading: 'Opening your payment', reach: held(/\/session$/) },
  {
    name: 'unreachable',
    heading: 'No connection to the payment service',
    async reach(tour) {
      tour.world.network.loseAnswersTo(/\/session$/);
      return tour.open((await fresh(tour)).link);
    },
  },
  { name: 'scan', heading: 'Scan the QR code', reach: scan },
  {
    name: 'scan-camera',
    heading: 'Scan the QR code',
    async reach(tour) {
      const visit = await scan(tour);
      await visit.page.getByRole('button', { name: 'Scan with the camera' }).click();
      await visit.page.getByText('The camera is on').waitFor();
      return visit;
    },
  },
  {
    name: 'scan-wrong-country',
    heading: 'Scan the QR code',
    async reach(tour) {
      const visit = await scan(tour);
      await paste(visit, aVietnameseCode());
      await visit.page.getByRole('alert').getByText('Vietnamese').waitFor();
      return visit;
    },
  },
  { name: 'review', heading: 'Check the payment', reach: (tour) => review(tour, FULL_CODE) },
  { name: 'review-person', heading: 'Check the payment', reach: (tour) => review(tour, BARE_CODE) },
  { name: 'left', heading: 'Not confirmed', reach: left },
  {
    name: 'working-sent',
    heading: 'Your payment is on its way',
    async reach(tour) {
      tour.world.network.hold(/\/confirm$/);
      return confirmed(tour);
    },
  },
  {
    name: 'working-unanswered',
    heading: 'Your payment is on its way',
    async reach(tour) {
      tour.world.network.loseAnswersTo(/\/(confirm|status)$/);
      const visit = await confirmed(tour);
      await visit.page.getByText('no answer yet').first().waitFor();
      return visit;
    },
  },
  {
    name: 'working-confirmed',
    heading: 'Your payment is on its way',
    async reach(tour) {
      tour.world.app.mode = 'authorize';
      const visit = await confirmed(tour);
      await visit.page.getByText('Waiting for the payout').first().waitFor();
      return visit;
    },
  },
  { name: 'captured', heading: 'Paid', reach: (tour) => confirmed(tour) },
  { name: 'failed', heading: 'Not paid', reach: ended('fail') },
  { name: 'cancelled', heading: 'Cancelled', reach: ended('cancel') },
  {
    name: 'unknown',
    heading: 'We do not know yet',
    async reach(tour) {
      // The session ends while its answer is awaited.
      tour.world.network.loseAnswersTo(/\/confirm$/);
      tour.world.app.mode = 'no_answer';
      const visit = await confirmed(tour);
      await visit.page.getByText('no answer yet').first().waitFor();
      tour.world.bed.clock.turnTo(new Date(tour.world.now.getTime() + 601_000));
      tour.world.network.mend();
      return visit;
    },
  },
  {
    name: 'pending',
    heading: 'Still being paid',
    async reach(tour) {
      tour.world.app.mode = 'authorize';
      const visit = await confirmed(tour);
      await visit.page.getByText('Waiting for the payout').first().waitFor();
      tour.world.bed.clock.turnTo(new Date(tour.world.now.getTime() + 601_000));
      return visit;
    },
  },
  {
    name: 'other-code',
    heading: 'Another code came first',
    async reach(tour) {
      const { intent, link } = await fresh(tour);
      const visit = await openScan(tour, link);
      await paste(visit, FULL_CODE);
      await move(tour, intent, 'authorize');
      await visit.page.getByRole('button', { name: /^Pay / }).click();
      return visit;
    },
  },
  {
    name: 'closed',
    heading: 'This payment is closed',
    async reach(tour) {
      const { intent, link } = await fresh(tour);
      const visit = await openScan(tour, link);
      await paste(visit, FULL_CODE);
      await move(tour, intent, 'cancel');
      await visit.page.getByRole('button', { name: /^Pay / }).click();
      return visit;
    },
  },
  {
    name: 'invalid',
    heading: 'This link does not work',
    reach: async (tour) => tour.open((await fresh(tour, { token: 'a.b.c' })).link),
  },
  {
    name: 'expired',
    heading: 'This link has expired',
    async reach(tour) {
      const iat = Math.floor(tour.world.now.getTime() / 1_000) - 660;
      return tour.open((await fresh(tour, { claims: { iat, exp: iat + 600 } })).link);
    },
  },
  {
    name: 'time-over',
    heading: 'Time is over',
    async reach(tour) {
      const exp = Math.floor(tour.world.now.getTime() / 1_000) + 1;
      return tour.open((await fresh(tour, { claims: { exp } })).link);
    },
  },
  {
    name: 'used-captured',
    heading: 'Already used',
    async reach(tour) {
      const { link } = await fresh(tour);
      const first = await openScan(tour, link);
      await paste(first, FULL_CODE);
      await first.page.getByRole('button', { name: /^Pay / }).click();
      await first.untilHandedOver();
      await first.close();
      return tour.open(link);
    },
  },
  {
    name: 'used-pending',
    heading: 'Already confirmed',
    async reach(tour) {
      const { intent, link } = await fresh(tour);
      await move(tour, intent, 'authorize');
      return tour.open(link);
    },
  },
];

/** In docs/checkout: every screen in light and English, a few in the dark and in the other languages, and the codes. */
export const PICTURES: readonly string[] = [
  ...SCREENS.map(({ name }) => name),
  ...['scan-dark', 'scan-th', 'review-dark', 'review-vi', 'captured-dark'],
  ...Object.keys(SAMPLE_CODES),
];

async function fresh({ world }: Tour, wish?: LinkWish) {
  const intent = await anIntent(world.bed, world.partner);
  return { intent, link: world.link(intent, wish) };
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
  const visit = await review(tour, FULL_CODE);
  await visit.page.getByRole('button', { name: /^Pay / }).click();
  return visit;
}

function ended(event: 'fail' | 'cancel') {
  return async (tour: Tour) => {
    const { world } = tour;
    world.app.mode = 'authorize';
    const { intent, link } = await fresh(tour);
    const visit = await openScan(tour, link);
    await paste(visit, FULL_CODE);
    await visit.page.getByRole('button', { name: /^Pay / }).click();
    await visit.page.getByText('Waiting for the payout').first().waitFor();
    await move(tour, intent, event);
    return visit;
  };
}

/** What happens to the payment behind this page's back. */
async function move({ world }: Tour, intent: PaymentIntent, event: IntentEvent): Promise<void> {
  const from =
    event === 'fail' ? 'authorized' : (await world.bed.intents.standing(intent.intentId)).status;
  const change = { intentId: intent.intentId, from, event, actor: 'test' };
  const token =
    event === 'authorize'
      ? { token: { ...aTokenUse(world.partner), expiresAtMs: world.now.getTime() + 600_000 } }
      : {};
  await world.bed.intents.transition({ ...change, ...token });
}
