// docs/operations/alarms.yaml has the alarms as Prometheus rules on metrics that are served, and
// each rule names its section of docs/operations.md.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { createMetrics } from '../../../src/observe/api-metrics';
import { createWorkerMetrics } from '../../../src/observe/worker-metrics';
import { readAlarmRules, readRecordingRules } from '../../support/docs/alarm-rules';
import { exposedSeries, OF_PROMETHEUS, type Series } from '../../support/docs/exposed-metrics';
import { ROOT } from '../../support/programs/fixture-project';
import { faultsOf } from '../../support/docs/promql';
import { NO_POOL } from '../../support/no-pool';

const RULES = readAlarmRules();
const RECORDED = readRecordingRules();
const recordedSeries = RECORDED.map(({ record: name }): Series => ({
  name,
  kind: 'gauge',
  labels: {},
}));
const page = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
const HEADINGS = [...page.matchAll(/^##+ (.+)$/gm)].map(([, heading = '']) => heading);

it('gives each alarm a unique name', () => {
  expect(RULES.length).toBeGreaterThan(10);
  expect(new Set(RULES.map(({ alert }) => alert)).size).toBe(RULES.length);
});

it('has the series of failed confirms before one fails, since rate counts no first sample', async () => {
  const metrics = await createMetrics(NO_POOL).expose();
  expect(metrics).toMatch(/_count\{route="\S+\/confirm",method="POST",status="503"\} 0$/m);
});

const COUNTED = new Map(
  RULES.flatMap(({ expr }) => [...expr.matchAll(/(\w+_total)\{(\w+="[^"]+")\}/g)]).map(
    ([series, name = '', label = '']) => [series, [name, label] as const],
  ),
);

it.each([...COUNTED])(
  'has %s at 0 from the start, since increase counts no first sample',
  async (_, [name, label]) => {
    const worker = createWorkerMetrics(NO_POOL, 1);
    worker.providerAdded('th_qrpay');
    const texts = await Promise.all([createMetrics(NO_POOL).expose(), worker.expose()]);
    const lines = texts.flatMap((text) => text.split('\n'));
    const ofLabel = lines.filter((line) => line.startsWith(`${name}{`) && line.includes(label));
    expect(ofLabel).toEqual(ofLabel.map((line) => line.replace(/ \S+$/, ' 0')));
    expect(ofLabel.length).toBeGreaterThan(0);
  },
);

it.each(RECORDED)('records $record from metrics that are served', async ({ expr }) => {
  expect(faultsOf(expr, await exposedSeries())).toEqual([]);
});

describe.each(RULES)('the alarm $alert', ({ expr, labels, annotations, ...rest }) => {
  const { summary = '', runbook = '', runbook_url: url = '' } = annotations;

  it('uses metrics that API and worker serve', async () => {
    const known = [...(await exposedSeries()), ...recordedSeries, OF_PROMETHEUS];
    expect(faultsOf(expr, known)).toEqual([]);
  });

  it('has only the fields of a Prometheus rule', () => {
    expect(Object.keys(rest)).toEqual(['alert', 'for']);
    expect(['critical', 'warning'].map((severity) => ({ severity }))).toContainEqual(labels);
    expect(Object.keys(annotations)).toEqual(['summary', 'runbook', 'runbook_url']);
  });

  it('says in a sentence what has happened', () => {
    expect(summary).toMatch(/^[A-Z].*\.$/);
    const filled = summary.replaceAll(
      /\{\{ (humanize(Duration|Percentage) |printf "%\.\d[fg]" )?\$(value|labels\.\w+) \}\}/g,
      '1',
    );
    expect(filled).not.toMatch(/[{}$]/);
  });

  it('names a section of the page, and only commands of the page', () => {
    const named = [...runbook.matchAll(/"([^"]+)"/g)].map(([, heading]) => heading);
    expect(runbook).toMatch(/docs\/operations\.md, "/);
    expect(HEADINGS).toEqual(expect.arrayContaining(named));
    const anchor = (named[0] ?? '')
      .toLowerCase()
      .replaceAll(/[^a-z0-9 -]/g, '')
      .replaceAll(' ', '-');
    expect(url).toBe(`{{ $externalLabels.runbooks }}/operations.md#${anchor}`);
    const commands = [...runbook.matchAll(/`((?:payctl|temporal) [^`]+)`/g)];
    expect(commands.filter(([, command = '']) => !page.includes(command))).toEqual([]);
  });
});

interface Inhibition {
  readonly source_matchers: readonly string[];
  readonly target_matchers: readonly string[];
  readonly equal?: readonly string[];
}

const alertmanager = readFileSync(join(ROOT, 'docs/operations/alertmanager.yaml'), 'utf8');
const { inhibit_rules: INHIBITIONS } = parse(alertmanager) as {
  readonly inhibit_rules: readonly Inhibition[];
};

it.each(INHIBITIONS)(
  'silences only alarms that exist, by labels that they have: $target_matchers',
  ({ source_matchers: source, target_matchers: target, equal = [] }) => {
    for (const matchers of [source, target]) {
      const parts = matchers.map((matcher) => /^(\w+)=~?"(.+)"$/.exec(matcher)?.slice(1) ?? []);
      const named = parts.flatMap(([label, value = '']) =>
        label === 'alertname' ? value.split('|') : [],
      );
      const rules = RULES.filter(({ alert }) => named.includes(alert));
      expect(rules.map(({ alert }) => alert).toSorted()).toEqual(named.toSorted());
      const labels = parts.map(([label]) => label).filter((label) => label !== 'alertname');
      for (const { expr } of rules) {
        const kept = /\bby \(([^)]+)\)/.exec(expr)?.[1]?.split(', ') ?? [];
        expect(kept).toEqual(expect.arrayContaining([...labels, ...equal]));
      }
    }
  },
);
