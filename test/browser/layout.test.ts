// The layout of the screens on the smallest phone: the button to pay is in view below the whole
// content of the code, the way back below a result, an amount is one line, the steps are named, and
// nothing moves for a reader who has asked for less motion.
import type { Page } from 'playwright-core';
import { AMOUNT_MAX_USD_CENTS } from '../../src/domain/limits';
import { usdCents, type UsdCents } from '../../src/domain/money';
import { anIntent } from '../support/builders';
import { withVisits } from './checkout-world';
import { FULL_CODE } from './scanned-codes';
import { chooseLanguage, move, paste, pay, SMALLEST } from './screens';

const LARGEST_CENTS = usdCents(AMOUNT_MAX_USD_CENTS);

const visits = withVisits();
const { world } = visits;

async function openReview(amountUsdCents: UsdCents) {
  const intent = await anIntent(world.bed, world.partner, { amountUsdCents });
  const visit = await visits.open(world.link(intent), { viewport: SMALLEST });
  await visit.page.getByRole('heading', { name: 'Scan the QR code' }).waitFor();
  await paste(visit, FULL_CODE);
  await visit.page.getByRole('heading', { name: 'Check the payment' }).waitFor();
  return visit;
}

/** In pixels of the window. */
async function edgesOf(page: Page, selector: string): Promise<{ top: number; bottom: number }> {
  return page.evaluate(
    `(({ top, bottom }) => ({ top, bottom }))(document.querySelector('${selector}').getBoundingClientRect())`,
  );
}

describe('on a phone of 320 by 568 pixels', () => {
  it.each(['en', 'th', 'vi'])(
    'in %s the button to pay is in view below the whole content of the code',
    async (language) => {
      const visit = await openReview(LARGEST_CENTS);
      await chooseLanguage(visit, language);
      const details = await edgesOf(visit.page, '.details');
      const pay = await edgesOf(visit.page, '.button.primary');
      expect(pay.bottom).toBeLessThanOrEqual(SMALLEST.height);
      expect(details.bottom).toBeLessThanOrEqual(pay.top);
    },
  );

  it.each(['en', 'th', 'vi'])('in %s the way back is in view below a result', async (language) => {
    world.app.mode = 'authorize';
    const visit = await visits.open(world.link(visits.intent), { viewport: SMALLEST });
    const { page } = await pay(visit);
    await page.getByText('Waiting for the payout').first().waitFor();
    await move({ world }, visits.intent, 'fail');
    await page.getByRole('heading', { name: 'Not paid' }).waitFor();
    await chooseLanguage(visit, language);
    const back = await edgesOf(page, '.button.primary');
    expect(back.bottom).toBeLessThanOrEqual(SMALLEST.height);
  });

  it.each(['en', 'th', 'vi'])('in %s the largest amount is one line', async (language) => {
    const visit = await openReview(LARGEST_CENTS);
    await chooseLanguage(visit, language);
    const { page } = visit;
    expect(await page.locator('.sum').textContent()).toMatch(/1.000.000.00/);
    expect(await page.evaluate(LINES_OF_SUM)).toBe(1);
    expect(await page.evaluate('innerWidth - document.documentElement.scrollWidth')).toBe(0);
    const { top, bottom } = await edgesOf(page, '.button.primary');
    expect(bottom - top).toBeLessThan(2 * 48);
  });
});

it('the steps are named, and the current one is marked', async () => {
  const { page } = await openReview(usdCents(1_250));
  const steps = page.getByRole('list', { name: 'Steps' }).getByRole('listitem');
  expect(await steps.allTextContents()).toEqual(['Scan (done)', 'Check', 'Result']);
  expect(await page.locator('[aria-current=step]').allTextContents()).toEqual(['Check']);
});

it.each([
  ['reduce', []],
  ['no-preference', ['turn']],
] as const)(
  'with the motion setting "%s" these turn for ever: %j',
  async (reducedMotion, turning) => {
    world.network.hold(/\/session$/);
    const link = world.link(visits.intent);
    const { page } = await visits.open(link, { reducedMotion });
    await page.getByRole('heading', { name: 'Opening your payment' }).waitFor();
    const running = await page.evaluate<string[]>(
      'document.getAnimations().map(({ animationName }) => animationName)',
    );
    expect(running.filter((name) => reducedMotion === 'reduce' || name === 'turn')).toEqual(
      turning,
    );
  },
);

/** The number of lines of the amount, by the height of its text. */
const LINES_OF_SUM = `(() => {
  const range = document.createRange();
  range.selectNodeContents(document.querySelector('.sum'));
  return new Set([...range.getClientRects()].map(({ top }) => top)).size;
})()`;
