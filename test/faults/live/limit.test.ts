// Two confirms race for the last of a partner's day, through the API, the real workflow and
// Postgres.
import { recogniseErrorsOfNode } from '../../support/builders';
import { setLimits } from '../../support/payments/partner';
import { said, truthOf } from './payer';
import { withLiveSetup } from './setup';

recogniseErrorsOfNode();

const { world, payer } = withLiveSetup();
beforeEach(() => world.bed.database.query({ text: 'delete from partner_days' }));

it.each([
  ['there is room', 5_000],
  ['there is no limit', null],
])('one is paid, the other is 429, and its token confirms once %s', async (_when, later) => {
  await setLimits(world.bed, payer.partner, { usdCentsPerDay: 2_000 });
  const intents = [await payer.create(), await payer.create()] as const;
  // Both have asked for room before either is authorized.
  const holds = intents.map(({ intentId }) => world.holds.hold(intentId, 'authorize'));
  const tokens = intents.map((intent) => payer.mint(intent));
  const confirming = intents.map((intent, index) => payer.confirm(intent, tokens[index]));
  await Promise.all(holds.map(({ begun }) => begun));
  for (const hold of holds) hold.release();
  const replies = await Promise.all(confirming);
  expect(replies.map(said).sort()).toEqual(['200 captured', '429']);
  const index = replies.findIndex(({ status }) => status === 429);
  const rejected = index === 0 ? intents[0] : intents[1];
  expect(Number(replies[index]?.headers['retry-after'])).toBeGreaterThan(40_000);
  await expect(truthOf(world, rejected)).resolves.toEqual({
    ...{ status: 'created', moved: [], executed: [] },
  });
  await setLimits(world.bed, payer.partner, { usdCentsPerDay: later });
  expect(said(await payer.confirm(rejected, tokens[index]))).toBe('200 captured');
  await expect(truthOf(world, rejected)).resolves.toMatchObject({ executed: [1_250] });
});
