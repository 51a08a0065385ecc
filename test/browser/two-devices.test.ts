// One link on two devices, or in two tabs: neither says what the other has made false.
import { withVisits } from './checkout-world';
import { pay } from './screens';
import type { Visit } from './visit';

const visits = withVisits();
const { world } = visits;

const heading = ({ page }: Visit, name: string) =>
  page.getByRole('heading', { name, level: 1 }).waitFor();
const text = ({ page }: Visit, part: string) => page.getByText(part).first().waitFor();

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
