// The parts of the documentation that are generated from code, each between two markers in its
// file.
import { CONFIG_SCHEMAS } from '../../../src/config/config';
import { INTENT_TRANSITIONS } from '../../../src/domain/intents/transitions';
import { SCHEMES } from '../../../src/corridors/registry';
import { SCENARIOS } from '../../../src/sandbox/scenarios';
import { seenByPartner } from './seen-by-partner';

interface Generated {
  /** Relative to the root of the repository. */
  readonly file: string;
  /** `<!-- NAME: … -->` before it, `<!-- /NAME -->` after it. */
  readonly name: string;
  readonly text: string;
}

export const GENERATED_DOCS: readonly Generated[] = [
  { file: 'docs/architecture.md', name: 'states', text: stateDiagram() },
  { file: 'docs/configuration.md', name: 'settings', text: settingsList() },
  { file: 'docs/partner-guide.md', name: 'amounts', text: amountsTable() },
  { file: 'docs/partner-guide.md', name: 'codes', text: codesTable() },
];

/** The current text between the markers, and the whole page with the generated text instead. */
export function compare(
  page: string,
  { name, text }: Generated,
): { readonly found: string; readonly updated: string } {
  const block = new RegExp(`(<!-- ${name}:[^>]*-->\\n)([\\s\\S]*?)(<!-- /${name} -->)`);
  const found = block.exec(page)?.[2];
  if (found === undefined) throw new Error(`no markers ${name}`);
  return {
    found: found.trim(),
    updated: page.replace(block, (_all, open, _old, close) => `${open}\n${text}\n\n${close}`),
  };
}

function stateDiagram(): string {
  const edges = INTENT_TRANSITIONS.map(({ from, event, to }) => `    ${from} --> ${to}: ${event}`);
  return ['```mermaid', 'stateDiagram-v2', '    [*] --> created', ...edges, '```'].join('\n');
}

function amountsTable(): string {
  const rows = SCENARIOS.map((scenario) => {
    const { amountUsdCents } = scenario;
    // The status is a column of its own.
    const outcome = scenario.outcome.replace(/^(?:captured|failed|stays authorized)(?:, )?/, '');
    const { statuses, webhook } = seenByPartner(scenario);
    const seen = statuses.map((status) => `\`${status}\``).join(', then ');
    return `| ${amountUsdCents} | ${outcome} | ${seen} | ${webhook === null ? 'none' : `\`${webhook}\``} |`;
  });
  const names = '| `amount_usd_cents` | what happens | status from the confirm on | webhook |';
  return [names, '|---|---|---|---|', ...rows].join('\n');
}

function codesTable(): string {
  const rows = Object.entries(SCHEMES).map(([corridor, { sampleCode }]) => {
    return `| \`${corridor}\` | \`${sampleCode}\` |`;
  });
  return ['| corridor | code |', '|---|---|', ...rows].join('\n');
}

interface Setting {
  readonly description?: string | undefined;
  safeParse(value: unknown): { readonly success: boolean; readonly data?: unknown };
}

/** A setting that several processes read alike is listed once. */
function settingsList(): string {
  const readers = new Map<string, string[]>();
  for (const [process, { shape }] of Object.entries(CONFIG_SCHEMAS))
    for (const [name, setting] of Object.entries<Setting>(shape)) {
      const text = `- \`${name}\` (READERS)${fallback(setting)}. ${setting.description ?? ''}`;
      readers.set(text, [...(readers.get(text) ?? []), process]);
    }
  return [...readers]
    .map(([text, processes]) => wrapped(text.replace('READERS', processes.join(', '))))
    .join('\n');
}

/** Breaks a list item into lines of at most 100 columns, but no code. */
function wrapped(item: string): string {
  const lines: string[] = [];
  for (const word of item.match(/[^\s`]*(?:`[^`]*`[^\s`]*)+|\S+/g) ?? []) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && last.length + word.length < 100) lines.splice(-1, 1, `${last} ${word}`);
    else lines.push(last === '' ? word : `  ${word}`);
  }
  return lines.join('\n');
}

/** What holds where the environment does not set a setting: nothing is said of `undefined`. */
function fallback(setting: Setting): string {
  const parsed = setting.safeParse(undefined);
  if (!parsed.success) return ', required';
  return parsed.data === undefined
    ? ''
    : `, default \`${JSON.stringify(parsed.data).replaceAll('"', '')}\``;
}
