// Reads the rules of docs/operations/alarms.yaml.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from '../programs/fixture-project';

export interface AlarmRule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export function readAlarmRules(): readonly AlarmRule[] {
  const text = readFileSync(join(ROOT, 'docs/operations/alarms.yaml'), 'utf8');
  const { groups } = parse(text) as { groups: readonly { rules: readonly AlarmRule[] }[] };
  return groups.flatMap(({ rules }) => rules);
}
