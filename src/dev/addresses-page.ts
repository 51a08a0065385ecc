// The closing part of `npm start`: where everything is, and what to try next.
import type { Demonstration } from './demo';
import type { Sandbox } from './sandbox-file';
import type { Terminal } from './terminal';

const NAME_WIDTH = 18;

interface Running {
  readonly sandbox: Sandbox;
  /** Undefined beside a start of an earlier version, which kept no port for it. */
  readonly workerMetrics: string | undefined;
  /** A second `npm start` has none of its own. */
  readonly demonstration?: Demonstration;
}

export function showAddresses(
  terminal: Terminal,
  { sandbox, workerMetrics, demonstration }: Running,
): void {
  const [partner] = sandbox.partners;
  const rows: readonly (readonly [string, string])[] = [
    ['API', sandbox.base_url],
    ['API reference', `${sandbox.provider_url}/docs`],
    ['Temporal UI', temporalUi(sandbox, demonstration)],
    ['provider journal', `${sandbox.provider_url}/journal`],
    ['webhook inbox', partner?.webhook_inbox_url ?? ''],
    ['API metrics', sandbox.metrics_url],
    ['worker metrics', workerMetrics ?? ''],
  ];
  for (const [name, address] of rows.filter(([, shown]) => shown !== '')) {
    terminal.line(`  ${terminal.dim(name.padEnd(NAME_WIDTH))}${address}`);
  }
}

export function showNextSteps(terminal: Terminal, sandbox: Sandbox, directory: string): void {
  terminal.line(`  ${terminal.bold('Try next')}`);
  terminal.line('    npm run sandbox:try');
  terminal.line(`    curl -s ${sandbox.provider_url}/journal`);
  terminal.line(`    curl -s ${sandbox.partners[0]?.webhook_inbox_url ?? ''}`);
  terminal.line('    npm run payctl -- --help');
  terminal.line();
  terminal.line(
    terminal.dim(
      `  Keys and addresses for programs: ${directory}/sandbox.json. Ctrl-C stops everything.`,
    ),
  );
}

/** Straight to the page that tells the story of the payment just made. */
function temporalUi(sandbox: Sandbox, demonstration: Demonstration | undefined): string {
  const { temporal_ui_url: base } = sandbox;
  if (base === '' || demonstration === undefined) return base;
  return `${base}/namespaces/default/workflows/${demonstration.intentId}`;
}
