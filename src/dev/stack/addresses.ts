// The addresses of the local stack: each is requested once, then all are printed, with commands to
// try next.
import { join } from 'node:path';
import type { Sandbox } from '../demo/sandbox-file';
import type { Addresses } from './stack';
import { StartError } from './start-error';
import type { Terminal } from '../terminal';
import { COMMANDS } from '../tools';

const NAME_WIDTH = 18;
const ANSWER_TIMEOUT_MS = 5_000;

/** The content of `.local/sandbox.json`, and the address of the worker's metrics. */
type Running = Sandbox & Addresses;

/** @throws StartError that names the address which does not answer */
export async function everyAddressAnswers(running: Running, directory: string): Promise<void> {
  const addresses = [
    `${running.base_url}/readyz`,
    `${running.checkout_url}/flow/any/scan`,
    running.metrics_url,
    running.worker_metrics_url,
    `${running.provider_url}/journal`,
    `${running.provider_url}/docs`,
    ...running.partners.flatMap((partner) => [partner.jwks_url, partner.webhook_inbox_url]),
    running.temporal_ui_url,
  ];
  const named = addresses.filter(Boolean);
  await Promise.all(named.map((address) => demandAnswer(address, join(directory, 'logs'))));
}

async function demandAnswer(address: string, logs: string): Promise<void> {
  const problem = await fetch(address, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) }).then(
    async (answer) => {
      await answer.arrayBuffer();
      return answer.ok ? undefined : `answered ${String(answer.status)}`;
    },
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  if (problem === undefined) return;
  throw new StartError(`${address} does not serve (${problem}): see ${logs} for the reason.`);
}

/** @param intentId the payment just made: the address of the Temporal UI leads to its workflow */
export function showAddresses(terminal: Terminal, running: Running, intentId?: string): void {
  const workflowPath = intentId === undefined ? '' : `/namespaces/default/workflows/${intentId}`;
  const ui = running.temporal_ui_url;
  const rows = {
    API: running.base_url,
    'API reference': `${running.provider_url}/docs`,
    'Temporal UI': ui === '' ? '' : ui + workflowPath,
    'provider journal': `${running.provider_url}/journal`,
    'webhook inbox': running.partners[0]?.webhook_inbox_url ?? '',
    'API metrics': running.metrics_url,
    'worker metrics': running.worker_metrics_url,
  };
  for (const [name, address] of Object.entries(rows).filter(([, shown]) => shown !== '')) {
    terminal.line(`  ${terminal.dim(name.padEnd(NAME_WIDTH))}${address}`);
  }
}

/** @param link leads to a checkout, whose session token confirms once */
export function showNextSteps(
  terminal: Terminal,
  sandbox: Sandbox,
  directory: string,
  link?: string,
): void {
  if (link !== undefined) {
    terminal.line(`  ${terminal.bold('Pay by hand')}, with a code of docs/checkout/README.md`);
    terminal.line(`    ${link}`);
    terminal.line();
  }
  terminal.line(`  ${terminal.bold('Try next')}`);
  terminal.line(`    ${COMMANDS.pay} --link    another address to pay at`);
  terminal.line(`    curl -s ${sandbox.provider_url}/journal`);
  terminal.line(`    curl -s ${sandbox.partners[0]?.webhook_inbox_url ?? ''}`);
  terminal.line(`    ${COMMANDS.payctl} --help`);
  terminal.line();
  const programs = `Keys and addresses for programs: ${directory}/sandbox.json.`;
  terminal.line(terminal.dim(`  ${programs} Ctrl-C stops everything.`));
}
