// `payctl payouts show`, `stop` and `allow` (decision 127).
import { anIntent } from '../../support/builders';
import { aPartner } from '../../support/payments/partner';
import {
  expectRejected,
  jsonOf,
  rejection,
  runPayctl,
  textOf,
} from '../../support/programs/payctl';
import { withDatabase } from '../../support/brackets';

const bed = withDatabase({ isPerTest: true });

const payouts = (...args: readonly string[]) => runPayctl(bed, ['payouts', ...args]);
const ANN = ['--as', 'ann', '--reason', 'the provider pays twice'];

it('shows that payouts are allowed if they were not stopped', async () => {
  await expect(payouts('show')).resolves.toEqual({
    code: 0,
    stdout: 'Payouts are allowed.\n',
    stderr: '',
  });
});

it('shows who stopped payouts and why, until they are allowed', async () => {
  expect(textOf(await payouts('stop', ...ANN)).replaceAll(/\s+/g, ' ')).toContain(
    'An order that was recorded before may still be sent for 1 s.',
  );
  const shown = await payouts('show');
  expect(shown.stdout).toMatch(/Stopped at \S+ by ann: the provider pays twice/);
  expect(shown.stdout).toContain('Payouts are stopped: none is sent until "payctl payouts allow".');
  const allowed = await payouts('allow', '--as', 'bob', '--reason', 'it does not', '--json');
  expect(JSON.parse(allowed.stdout)).toEqual([
    {
      at: expect.any(String) as string,
      actor: 'ann',
      reason: 'the provider pays twice',
      kind: 'operator',
      gap_since: null,
      ended_at: expect.any(String) as string,
      ended_by: 'bob',
      ended_reason: 'it does not',
    },
  ]);
  expect((await payouts('show')).stdout).toContain('Payouts are allowed.');
});

it('exits 1 if payouts are allowed but were not stopped', async () => {
  await expect(payouts('allow', ...ANN)).resolves.toEqual(
    rejection('Payouts are not stopped. Nothing was changed.'),
  );
});

it('lifts a stop for a restore only with --after-restore', async () => {
  await payouts('stop', ...ANN);
  const restored = ['--as', 'bob', '--reason', 'restored to noon', '--after-restore'];
  expect((await payouts('stop', ...restored)).code).toBe(0);
  const rejected = await payouts('allow', ...ANN);
  expectRejected(rejected, 1, '--after-restore allows them. Nothing was changed.');
  expect((await payouts('show')).stdout).toMatch(
    /Stopped for a restore at \S+ by bob: restored to noon\n[^]*Do not\s+allow them yet/,
  );
  expect((await payouts('allow', ...ANN, '--after-restore')).code).toBe(0);
});

it('is named by a payment whose payout is stopped', async () => {
  const { intentId, amountUsdCents } = await anIntent(bed, await aPartner(bed), {
    status: 'authorized',
  });
  await bed.funds.debit(intentId, amountUsdCents);
  await payouts('stop', ...ANN);
  const shown = await runPayctl(bed, ['intents', 'show', intentId]);
  expect(shown.stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /Payouts to be allowed again; it was debited at \S+Z\. Payouts are stopped: "payctl payouts show" says why\./,
  );
  const story = await runPayctl(bed, ['intents', 'show', intentId, '--json']);
  expect(JSON.parse(story.stdout)).toMatchObject({ are_payouts_stopped: true });
  expect(textOf(await payouts('show')).replaceAll(/\s+/g, ' ')).toContain('Payments that wait: 1.');
  expect(jsonOf(await payouts('show', '--json'))).toMatchObject({ waiting: 1 });
});
