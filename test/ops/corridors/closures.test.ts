// `payctl corridors close|open` and `partners suspend|resume`: what they print, and what is kept of
// who did it and why.
import { anIntent } from '../../support/builders';
import { withDatabase, withPartner } from '../../support/brackets';
import { expectRejected, jsonOf, runPayctl, textOf } from '../../support/programs/payctl';

const bed = withDatabase();
const partner = withPartner(bed, { name: 'acme' });
const WHY = ['--reason', 'a drill', '--as', 'ann'];
const run = (...args: readonly string[]) => runPayctl(bed, [...args, ...WHY]);
const json = async (...args: readonly string[]) => jsonOf(await run(...args, '--json'));

it('closes a corridor once, and counts what is still paid out', async () => {
  await anIntent(bed, partner, { status: 'authorized' });
  await anIntent(bed, partner);
  const closed = { of: 'th_qrpay', is_open: false, going_on: 1 };
  await expect(json('corridors', 'close', 'th_qrpay')).resolves.toEqual({
    ...{ ...closed, is_changed: true },
  });
  expect(textOf(await run('corridors', 'close', 'th_qrpay'))).toContain(
    'No payment begins. Authorized payments that are still paid out: 1.',
  );
  await expect(json('corridors', 'open', 'th_qrpay')).resolves.toEqual({
    ...{ of: 'th_qrpay', is_open: true, is_changed: true, going_on: 1 },
  });
  const { rows } = await bed.database.query({
    text: 'select action, actor, reason, details from operator_actions order by action_id offset 1',
  });
  expect(rows).toEqual([
    { action: 'corridors close', actor: 'ann', reason: 'a drill', details: 'th_qrpay' },
    { action: 'corridors open', actor: 'ann', reason: 'a drill', details: 'th_qrpay' },
  ]);
});

it('suspends a partner, as its story shows, and lets it go on', async () => {
  const shown = async () => textOf(await runPayctl(bed, ['partners', 'show', 'acme']));
  await run('partners', 'suspend', 'acme');
  const suspended = await shown();
  expect(suspended).toMatch(/suspended +\d{4}-/);
  expect(suspended).toMatch(/ann +partners suspend/);
  await run('partners', 'resume', 'acme');
  await expect(shown()).resolves.not.toMatch(/suspended +\d{4}-/);
});

it('shows a closed corridor in the status of the system', async () => {
  await run('corridors', 'close', 'vn_qrpay');
  const { parts } = jsonOf(await runPayctl(bed, ['status', '--json'])) as {
    readonly parts: readonly { readonly part: string; readonly state: string }[];
  };
  expect(parts.filter(({ part }) => part.startsWith('corridor'))).toEqual([
    expect.objectContaining({ part: 'corridor th_qrpay', state: 'ok' }),
    expect.objectContaining({
      ...{ part: 'corridor vn_qrpay', state: 'stopped' },
      ...{ blocks: 'Creates and confirms get 503: a drill' },
      ...{ next: 'payctl corridors open vn_qrpay --reason TEXT' },
    }),
  ]);
});

it('knows the corridors and the partners', async () => {
  expectRejected(await run('partners', 'suspend', 'nobody'), 1, 'There is no partner nobody.');
  const { code, stderr } = await run('corridors', 'close', 'sg_qrpay');
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('sg_qrpay is none of the corridors th_qrpay, vn_qrpay.') as unknown,
  ]);
});
