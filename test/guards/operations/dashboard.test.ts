// docs/operations/dashboard.json queries metrics that API and worker serve, and shows all of them.
// No test loads it into Grafana.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readAlarmRules } from '../../support/docs/alarm-rules';
import { exposedSeries, isOfAnyProcess } from '../../support/docs/exposed-metrics';
import { ROOT } from '../../support/programs/fixture-project';
import { faultsOf } from '../../support/docs/promql';

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description: string;
  readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>;
  readonly datasource: unknown;
  readonly targets: readonly {
    readonly refId: string;
    readonly expr: string;
    readonly instant?: boolean;
    readonly legendFormat?: string;
  }[];
  readonly fieldConfig: {
    readonly defaults: {
      readonly noValue?: string;
      readonly thresholds?: { readonly steps: readonly { readonly value: number | null }[] };
    };
  };
}

const COLUMNS = 24;
const { panels, templating } = JSON.parse(
  readFileSync(join(ROOT, 'docs/operations/dashboard.json'), 'utf8'),
) as {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string }[] };
};
const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
const stats = panels.filter(({ type }) => type === 'stat');
const rules = readAlarmRules();

it.each(expressions)('queries a metric that is served: %s', async (expression) => {
  expect(faultsOf(expression, await exposedSeries())).toEqual([]);
});

it('shows every metric of ours', async () => {
  const ours = (await exposedSeries()).filter((series) => !isOfAnyProcess(series));
  const names = new Set(ours.map(({ name }) => name.replace(/_(bucket|count|sum)$/, '')));
  expect(names.size).toBeGreaterThan(14);
  const text = expressions.join('\n');
  expect([...names].filter((name) => !text.includes(name))).toEqual([]);
});

it('queries the Prometheus that is selected at its top', () => {
  expect(templating.list.map(({ name }) => name)).toEqual(['datasource']);
  const queried = new Set(panels.map(({ datasource }) => JSON.stringify(datasource)));
  expect([...queried]).toEqual([JSON.stringify({ type: 'prometheus', uid: '${datasource}' })]);
});

it('shows a missing number as not known, instead of the last value', () => {
  expect(stats.length).toBeGreaterThan(5);
  expect(stats.map(({ fieldConfig }) => fieldConfig.defaults.noValue)).toEqual(
    stats.map(() => 'not known'),
  );
  expect(stats.flatMap(({ targets }) => targets.map(({ instant }) => instant))).toEqual(
    stats.map(() => true),
  );
});

it('changes the colour of a figure at the threshold of its alarm', () => {
  const compared = stats.flatMap(({ targets, fieldConfig: { defaults } }) =>
    rules
      .filter(({ expr }) => expr.startsWith(`${targets[0]?.expr ?? ''} > `))
      .map(({ alert, expr }) => ({
        alert,
        // A whole number above 0 is 1 or more.
        alarm: Number(expr.split(' > ')[1]) || 1,
        shown: defaults.thresholds?.steps.at(-1)?.value,
      })),
  );
  expect(compared.length).toBeGreaterThan(5);
  expect(compared.filter(({ alarm, shown }) => alarm !== shown)).toEqual([]);
});

it('names only alarms that exist', () => {
  const named = panels.flatMap(({ description }) => description.match(/(?<=Alarm )\w+/g) ?? []);
  expect(named.length).toBeGreaterThan(8);
  expect(rules.map(({ alert }) => alert)).toEqual(expect.arrayContaining(named));
});

it('uses in legends only labels that the query groups by', () => {
  const legends = panels.flatMap(({ targets }) =>
    targets.map(({ expr, legendFormat = '' }) => ({
      labels: [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label),
      by: (/ by \(([\w, ]+)\)/.exec(expr)?.[1] ?? '').split(', '),
    })),
  );
  expect(legends.filter(({ labels, by }) => !labels.every((label) => by.includes(label)))).toEqual(
    [],
  );
});

it('gives each panel a unique id, title and position', () => {
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_none, cell) => ({
      column: x + (cell % w),
      row: y + Math.floor(cell / w),
    })),
  );
  expect(new Set(cells.map(({ column, row }) => `${column},${row}`)).size).toBe(cells.length);
  expect(cells.filter(({ column }) => column >= COLUMNS)).toEqual([]);
});
