// The table of rehearsed troubles in docs/operations.md has the alarms that `npm run test:alarms`
// waits for, and the commands that it runs then.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TROUBLES } from '../../deploy/alarms/troubles';
import { readAlarmRules } from '../../support/docs/alarm-rules';
import { ROOT } from '../../support/programs/fixture-project';

const page = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
const [, block = ''] = /<!-- rehearsed: .*\n([\s\S]*?)<!-- \/rehearsed -->/.exec(page) ?? [];
const rows = block
  .split('\n')
  .filter((line) => /^\|[a-zA-Z]/.test(line))
  .map((line) => line.split('|').slice(1, -1));

it('has a row for each trouble, with its alarm and the command that shows its cause', () => {
  const code = (text: string) => `\`${text}\``;
  expect(rows.map(([name, alarm, , understand]) => [name, alarm, understand])).toEqual(
    TROUBLES.map(({ name, alarm, understand }) => [name, ...[alarm, understand].map(code)]),
  );
});

/** A warning may wait until the morning; a rejection of all needs five minutes to be certain. */
it('pages within two minutes, but for what may wait or needs longer to be certain', () => {
  const slow = rows.filter(([, , seconds]) => Number(seconds) > 120);
  const severities = slow.map(
    ([, alarm]) => readAlarmRules().find((rule) => `\`${rule.alert}\`` === alarm)?.labels,
  );
  expect(slow.map(([name]) => name)).toEqual(['endpoint disabled', 'every request rejected']);
  expect(severities[0]).toEqual({ severity: 'warning' });
});
