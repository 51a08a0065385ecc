// The table of rehearsed troubles in docs/operations.md has the commands that
// `npm run test:alarms` runs, and the alarms that it waits for.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FUNCTIONS, TROUBLES } from '../../deploy/alarms/troubles';
import { readAlarmRules } from '../../support/docs/alarm-rules';
import { ROOT } from '../../support/programs/fixture-project';

const page = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
const [, block = ''] = /<!-- rehearsed: .*\n([\s\S]*?)<!-- \/rehearsed -->/.exec(page) ?? [];
const rows = block
  .split('\n')
  .filter((line) => /^\|[a-zA-Z]/.test(line))
  .map((line) => line.split('|').slice(1, -1));

it('has a row for each trouble, with its commands and its alarm', () => {
  const code = (text: string) => `\`${text}\``;
  expect(
    rows.map(([name, produce, alarm, , understand]) => [name, produce, alarm, understand]),
  ).toEqual(
    TROUBLES.map(({ name, produce, alarm, understand }) => [
      name,
      ...[produce, alarm, understand].map(code),
    ]),
  );
});

it('has the shell functions of those commands, and what a trouble needs before', () => {
  const needed = TROUBLES.flatMap(({ prepare, settings = {} }) => [
    ...(prepare === undefined ? [] : [prepare]),
    ...Object.entries(settings).map(([name, value]) => `${name}=${value}`),
  ]);
  expect(needed.length).toBeGreaterThan(1);
  expect([FUNCTIONS.trim(), ...needed].filter((text) => !page.includes(text))).toEqual([]);
});

it('pages within two minutes, but for what may wait until the morning', () => {
  const slow = rows.filter(([, , , seconds]) => Number(seconds) > 120);
  const severities = slow.map(
    ([, , alarm]) => readAlarmRules().find((rule) => `\`${rule.alert}\`` === alarm)?.labels,
  );
  expect(severities).toEqual([{ severity: 'warning' }]);
});
