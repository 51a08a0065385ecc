// Prints a life: its settings, its events with their times, and the violations.
import { START_MS } from '../world/harness';
import type { Life } from '../life';

const LINES_MAX = 40;

export function storyOf({ settings, faults, steps, findings }: Life): readonly string[] {
  const happened = [
    ...faults.map(({ atMs, point, what }) => ({
      atMs: atMs - START_MS,
      text: `* ${what} (${point})`,
    })),
    ...steps,
  ].sort((one, other) => one.atMs - other.atMs);
  const lines = happened.map(
    ({ atMs, text }) => `  ${(atMs / 1_000).toFixed(3).padStart(10)} s  ${text}`,
  );
  const left = lines.length - LINES_MAX;
  return [
    `  ${settings.length === 0 ? 'the usual settings' : settings.join('; ')}`,
    ...lines.slice(0, LINES_MAX),
    ...(left > 0 ? [`  … and ${String(left)} lines more`] : []),
    ...findings
      .filter(({ violations }) => violations > 0)
      .map(({ name, examples }) => `  VIOLATED: ${name}: ${examples[0] ?? ''}`),
  ];
}
