// Simulated lives of a payment in virtual time, over a separate Postgres.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../src/dev/tools';
import { createRandom } from '../bench/load/random';
import { bracket } from '../support/brackets';
import { DANGERS } from './dangers';
import { drawn, scripted } from './run/choices';
import { live, type Life } from './life';
import { ENDS, MUSEUM } from './museum';
import { schedulesOf } from './run/schedules';
import { openHarness } from './world/harness';

const harness = bracket(openHarness, (opened) => opened.close());

const violatedIn = ({ findings }: Life) =>
  findings.filter(({ violations }) => violations > 0).map(({ name }) => name);
const endOf = ({ steps }: Life) =>
  steps.map(({ text }) => text).findLast((text) => text.includes(' → '));
const metIn = ({ settings, faults }: Life) => [
  ...settings.map((one) => one.split(': ')[1]),
  ...faults.map(({ what }) => what),
];

test.each([
  [{}, 'authorized → captured, by system'],
  [{ 'the provider': 'declines' }, 'authorized → failed, by system'],
  [{ 'the provider': 'declines, and pays' }, 'authorized → failed, by system'],
  [{ 'the provider': 'declines, and revokes that after 3 s' }, 'authorized → captured, by system'],
  [{ 'the provider': 'refuses orders for good' }, 'authorized → failed, by system'],
  [{ 'the story': 'it is never confirmed' }, 'created → expired, by system'],
  [{ 'the story': 'it is cancelled' }, 'created → cancelled, by partner'],
])('a life of %j ends as %s', async (script, end) => {
  const life = await live(harness, scripted(script));
  expect([violatedIn(life), endOf(life)]).toEqual([[], end]);
});

test('equal seeds give equal lives, step by step', async () => {
  const lives = [];
  for (let times = 0; times < 2; times += 1) {
    const choices = drawn(createRandom(4_711));
    lives.push({ ...(await live(harness, choices)), made: choices.made });
  }
  expect(lives[0]).toEqual(lives[1]);
});

test.each(Object.entries(MUSEUM))('%s: here nothing is violated', async (name, script) => {
  const life = await live(harness, scripted(script));
  const end = ENDS[name] ?? 'authorized → captured, by system';
  expect([violatedIn(life), endOf(life)]).toEqual([[], end]);
  expect(metIn(life)).toEqual(expect.arrayContaining(Object.values(script)));
});

test.each(Object.entries(DANGERS))('danger: %s', async (_name, { script, end, attention }) => {
  const life = await live(harness, scripted(script));
  expect([violatedIn(life), endOf(life), life.attention]).toEqual([[], end, attention]);
  expect(metIn(life)).toEqual(expect.arrayContaining(Object.values(script)));
});

test('docs/museum.md has a rule for each of these schedules, and a link of its own', () => {
  const page = readFileSync(join(ROOT, 'docs/museum.md'), 'utf8');
  const rows = [...page.matchAll(/^\| (.+?) \| \[.+?\]\((https:.+?)\) \| .+ \|$/gm)];
  expect(rows.map(([, name]) => name)).toEqual(Object.keys(MUSEUM));
  expect(new Set(rows.map(([, , link]) => link)).size).toBe(rows.length);
});

test('an attempt that was frozen before it began does not send after its successor', async () => {
  const script = {
    'the provider': 'loses what it was sent, for 1 min',
    'the worker, where payOut begins #4': 'the worker freezes for 20 s',
  };
  const life = await live(harness, scripted(script));
  expect(life.faults).toHaveLength(1);
  expect([violatedIn(life), endOf(life)]).toEqual([[], 'authorized → captured, by system']);
});

const LOST_DEBIT = {
  'the backup of Postgres, by phase': 'authorized',
  'the provider': 'executes at the last moment',
  'the debit': 'alone',
  'statement begin-payout-attempt #2': 'Postgres is put back to the backup, workers too',
};
test.each([
  ['its workflow', {}],
  [
    'another workflow',
    { 'the worker, where set-attention ends #1': 'an operator terminates the workflow' },
  ],
])(
  '%s stops payouts for a debit that Postgres has lost, and queries the provider',
  async (_who, more) => {
    const life = await live(harness, scripted({ ...LOST_DEBIT, ...more }));
    expect(life.faults).toHaveLength(1 + Object.keys(more).length);
    expect([violatedIn(life), endOf(life)]).toEqual([[], 'authorized → captured, by system']);
    const name = 'payouts are stopped once, and only for a loss';
    expect(life.findings.find((one) => one.name === name)).toMatchObject({ checked: 1 });
  },
);

test('a task that is repeated queries the provider before it sends', async () => {
  const script = {
    'the backup of Postgres, by phase': 'authorized',
    'the worker, where provider.pay begins #1': 'the partner reads it',
    'the worker, where payOutAtOnce ends #1': 'the worker dies',
    'statement find-intent #1': 'a failover loses what came after the backup',
  };
  const life = await live(harness, scripted(script));
  expect(life.faults).toHaveLength(3);
  expect([violatedIn(life), endOf(life)]).toEqual([[], 'authorized → captured, by system']);
});

const RESET_AND_LOST = {
  'the timeline of Postgres': 'may not be read',
  'the backup of Postgres, by phase': 'authorized',
  'the worker, where finish-webhook begins #1': 'an operator resets the workflow',
  'statement finish-webhook #1': 'a failover loses what came after the backup',
};
test.each([
  ['sends', {}],
  ['cancels', { 'the worker, where recordTransition begins #3': 'the partner cancels' }],
])('a workflow that was reset queries the provider before it %s', async (_what, more) => {
  const life = await live(harness, scripted({ ...RESET_AND_LOST, ...more }));
  expect(life.faults).toHaveLength(2 + Object.keys(more).length);
  expect([violatedIn(life), endOf(life)]).toEqual([[], 'authorized → captured, by system']);
});

test('attention that a failover has lost is written again by a reminder', async () => {
  const script = {
    'the backup of Postgres, by phase': 'paying',
    'the provider': 'reports another amount',
    'statement answer-confirm #1': 'a failover loses what came after the backup',
  };
  const life = await live(harness, scripted(script));
  expect(life.faults).toHaveLength(1);
  expect([violatedIn(life), endOf(life)]).toEqual([[], 'created → authorized, by payer']);
});

test('a restore that ends a long outage of Postgres has undone no tick', async () => {
  const script = {
    'the backup of Postgres, by phase': 'created',
    'Postgres loses commits': 'put back 2 min later',
    'statement read-tokens #1': 'Postgres is away for 2 min',
  };
  const life = await live(harness, scripted(script));
  expect(life.faults).toHaveLength(2);
  expect([violatedIn(life), endOf(life)]).toEqual([[], 'created → expired, by system']);
});

test('a task that waits for Temporal completes as soon as it is back', async () => {
  const script = {
    'the backup of Postgres, by phase': 'unwritten',
    'Postgres loses commits': 'put back 2 min later',
    'the worker, where tickRestoreWatch ends #20':
      'an operator resolves the payout as the provider did',
    'Temporal: update resolvePayout #1': 'Temporal is away for 20 s',
  };
  const life = await live(harness, scripted(script));
  expect(life.faults).toHaveLength(3);
  expect(violatedIn(life)).toEqual([]);
});

const FALSELY_RESOLVED = 'an operator resolves a paid payout as declined';
test.each([
  ['', { 'the worker, where payOut begins #7': FALSELY_RESOLVED }],
  [
    // The commit is stamped later than the provider's first answer, which came after it.
    ', also while the clock of Postgres is ahead',
    {
      'while it waits': FALSELY_RESOLVED,
      'statement find-intent #1': 'its clock jumps to 1.5 s ahead',
      'statement transaction #1': 'Postgres is away for 2 min',
    },
  ],
])('a paid payout that was resolved as declined needs attention in the end%s', async (_, more) => {
  const script = { 'the provider': 'pays and is silent for 2 min', ...more };
  const life = await live(harness, scripted(script));
  const name = 'a false manual resolution needs attention in the end';
  expect(life.findings.find((one) => one.name === name)).toMatchObject({
    checked: 1,
    violations: 0,
  });
  expect([violatedIn(life), endOf(life)]).toEqual([[], 'authorized → failed, by operator-1']);
});

test('shards of an exhaustive run cover every fault at every point exactly once', async () => {
  const all = { lives: 1, seed: 1, exhaustive: 1, life: undefined, script: undefined } as const;
  const counted: number[][] = [];
  for (const index of [1, 2, 3]) {
    const numbers: number[] = [];
    for (const one of schedulesOf({ ...all, shard: { index, count: 3 } })) {
      // The lives with the usual settings are enough to check the sharding.
      if (one.number > 40) break;
      await live(harness, one.choices);
      if (one.isCounted) numbers.push(one.number);
    }
    counted.push(numbers);
  }
  expect(counted.flat().sort((one, other) => one - other)).toEqual(
    Array.from({ length: 41 }, (_, number) => number),
  );
});
