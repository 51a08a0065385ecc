// docs/operations/alarms.yaml has the alarms as Prometheus rules on metrics that are served, and
// each rule names its section of docs/operations.md.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMetrics } from '../../../src/observe/api-metrics';
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
