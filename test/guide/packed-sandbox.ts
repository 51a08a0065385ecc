// Checks the sandbox as a partner gets it: packed, installed by npm into an empty folder, started
// and stopped there, without the sources (decision 142). npm fetches its packages from a registry.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { processEnvironment } from '../../src/config/config';
import { USUAL } from '../../src/dev/stack/ports';
import { RUN_TYPESCRIPT } from '../../src/dev/tools';
import { brokenLinksIn, linksIn } from '../support/docs/package-links';
import { ROOT } from '../support/programs/fixture-project';
import { PACKED_PROGRAM, stillRunning, type NpmStart } from '../support/programs/npm-start';
import { runProgram } from './run-program';
import { demand } from './workplace';

/** @param folder is created, with the installed sandbox */
export async function installPackedSandbox(folder: string): Promise<void> {
  const env = processEnvironment();
  const packed = `${folder}-packed`;
  for (const made of [folder, packed]) mkdirSync(made, { recursive: true });
  const build = [...RUN_TYPESCRIPT, 'src/dev/package/build-sandbox.ts', packed];
  const built = await runProgram([process.execPath, ...build], { cwd: ROOT, env });
  const [name = ''] = /payment-intents-sandbox-[\d.]+\.tgz/.exec(built.stdout) ?? [];
  demand(built.code === 0 && name !== '', 'the sandbox was not packed', built);
  const installed = await runProgram(['npm', 'install', join(packed, name)], {
    cwd: folder,
    env,
  });
  demand(installed.code === 0, 'npm did not install the packed sandbox', installed);
  const content = join(folder, 'node_modules', '@payment-intents', 'sandbox');
  const broken = brokenLinksIn(content);
  const hasGuide = linksIn(content).includes('docs/partner-guide.md');
  demand(hasGuide && broken.length === 0, `broken links: ${broken.join(', ')}`, installed);
  await checkHelp(folder);
}

async function checkHelp(folder: string): Promise<void> {
  const env = processEnvironment();
  const help = await runProgram([PACKED_PROGRAM, '--help'], { cwd: folder, env });
  const names = [...Object.keys(USUAL), 'PORTS', 'LOCAL_DIR', 'TEMPORAL_ADDRESS'];
  const isWhole = names.every((name) => help.stdout.includes(`\n  ${name} `));
  demand(help.code === 0 && isWhole, 'the help lists not all ports and settings', help);
}

/** Checks the payment of its start, and that its pages answer. */
export async function checkSandbox(start: NpmStart): Promise<void> {
  const stdout = start.output();
  const started = { code: start.process.exitCode, stdout, stderr: '' };
  const isPaid = /captured .*final status[^]*webhook verified .*signed[^]*Ready in/.test(stdout);
  demand(isPaid, 'the sandbox has not captured a payment with a verified webhook', started);
  const { provider_url: at } = start.sandbox();
  const journal = await textOf(`${at}/journal`);
  demand(journal.includes(':payout"'), 'the journal has no payout', {
    ...started,
    stdout: journal,
  });
  for (const file of ['docs', 'docs/openapi.yaml', 'docs/swagger-ui-bundle.js']) {
    await textOf(`${at}/${file}`);
  }
}

export async function checkPay(folder: string): Promise<void> {
  const env = { ...processEnvironment(), LOCAL_DIR: undefined };
  const link = await runProgram([PACKED_PROGRAM, 'pay', '--link'], { cwd: folder, env });
  const isLink = /^http\S+\/flow\/pi_\w+\/scan#token=ey[\w.-]+&return_scheme=siam-travel\n$/;
  demand(isLink.test(link.stdout), '`pay --link` printed no address of a checkout', link);
  const paid = await runProgram([PACKED_PROGRAM, 'pay', '1250'], { cwd: folder, env });
  demand(/^pi_\w+: captured\n$/.test(paid.stderr), 'a payment was not captured', paid);
}

export async function checkStop(start: NpmStart): Promise<void> {
  const pids = start.sandbox().processes.map(({ pid }) => pid);
  const code = await start.interrupt();
  const stopped = { code, stdout: start.output(), stderr: '' };
  demand(code === 0, 'the sandbox did not stop in order', stopped);
  const left = await stillRunning(pids);
  demand(left.length === 0, `the processes ${left.join(', ')} were left behind`, stopped);
}

/** @throws Error when it is not answered with 200 */
async function textOf(address: string): Promise<string> {
  const answer = await fetch(address, { signal: AbortSignal.timeout(10_000) });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${address} answered ${String(answer.status)}`);
  return text;
}
