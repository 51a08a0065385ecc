// Reads the rules of docs/operations/alarms.yaml: the alarms, and the series that they record.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from '../programs/fixture-project';

interface AlarmRule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface RecordingRule {
  readonly record: string;
  readonly expr: string;
}

export function readAlarmRules(): readonly AlarmRule[] {
  return readRules().filter((rule) => 'alert' in rule);
}

export function readRecordingRules(): readonly RecordingRule[] {
  return readRules().filter((rule) => 'record' in rule);
}

function readRules(): readonly (AlarmRule | RecordingRule)[] {
  const text = readFileSync(join(ROOT, 'docs/operations/alarms.yaml'), 'utf8');
  const { groups } = parse(text) as {
    groups: readonly { rules: readonly (AlarmRule | RecordingRule)[] }[];
  };
  return groups.flatMap(({ rules }) => rules);
}
