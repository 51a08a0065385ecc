// `npm start`: the whole system on this machine, one real payment through it, and then it serves until Ctrl-C.
import { isAbsolute, join, relative } from 'node:path';
import { processEnvironment, readLocalDir } from '../config';
import { showAddresses, showNextSteps } from './addresses-page';
import { everyAddressAnswers } from './answers';
import { requireOurBaseline } from './data-folder';
import { demonstratePayment } from './demo';
import { choosePorts, keptPorts } from './ports';
import { endStaleProcesses } from './process-records';
import { Supervisor, type Restart } from './supervisor';
import {
  readSandboxFile,
  removeSandboxFile,
  writeSandboxFile,
  type Sandbox,
  type SandboxPartner,
} from './sandbox-file';
import { readSettings } from './settings';
import { addressesOf, metricsUrl, startStack, type Addresses, type StackOptions } from './stack';
import { StartError } from './start-error';
import { takeStartLock } from './start-lock';
import { createTerminal, formatMs } from './terminal';
import { ROOT, readTools } from './tools';

const environment = processEnvironment();
const terminal = createTerminal({
  output: process.stdout,
  isColoured: process.stdout.isTTY && (environment['NO_COLOR'] ?? '') === '',
});
/** npm and the terminal both pass one Ctrl-C on; only a later one means "now". */
const SAME_CTRL_C_MS = 700;

async function main(): Promise<void> {
  const startedAt = performance.now();
  const directory = localDirectory();
  const lock = takeStartLock(directory);
  if (!lock.isOurs) {
    tellRunning(directory, lock.owner.pid);
    return;
  }
  const supervisor = new Supervisor({
    directory,
    onLaunch: () => {
      rewriteProcesses(directory, supervisor);
    },
    onRestart: tellRestart,
  });
  const stop = stopOnSignals(supervisor, directory);
  try {
    await serve(directory, supervisor, startedAt);
    await stop.asked;
  } catch (error) {
    // What fails because everything is stopping is no news.
    if (!stop.wasAsked()) throw error;
  } finally {
    await stop.now();
    lock.release();
    if (stop.wasAsked()) terminal.line('  stopped; the data stays');
  }
}

function localDirectory(): string {
  const directory = readLocalDir(environment);
  return isAbsolute(directory) ? directory : join(ROOT, directory);
}

async function serve(directory: string, supervisor: Supervisor, startedAt: number): Promise<void> {
  requireOurBaseline(directory);
  removeSandboxFile(directory);
  const ended = await endStaleProcesses(directory);
  if (ended.length > 0) terminal.line(`  ended what a killed start had left: ${ended.join(', ')}`);
  const settings = readSettings(environment);
  const tools = readTools();
  const ports = await choosePorts(settings, directory);
  const options: StackOptions = { directory, tools, ports, settings, environment };
  terminal.line();
  const partners = await startStack(options, supervisor, terminal);
  const addresses = addressesOf(options);
  const sandbox = sandboxOf(addresses, partners, supervisor);
  await terminal.step('every address answers', () =>
    everyAddressAnswers(sandbox, addresses.workerMetrics),
  );
  writeSandboxFile(directory, sandbox);
  await demonstrate(sandbox, addresses, directory);
  terminal.line(terminal.dim(`  Ready in ${formatMs(performance.now() - startedAt)}.`));
}

async function demonstrate(sandbox: Sandbox, addresses: Addresses, directory: string) {
  const [partner] = sandbox.partners;
  if (partner === undefined) throw new Error('there is no sandbox partner');
  terminal.line();
  terminal.line(`  ${terminal.bold('One payment, from a signed request to a verified webhook')}`);
  const demonstration = await demonstratePayment(partner, addresses, terminal);
  terminal.line(
    terminal.dim(`    created to captured in ${formatMs(demonstration.createToCapturedMs)}`),
  );
  terminal.line();
  const { workerMetrics } = addresses;
  showAddresses(terminal, { sandbox, workerMetrics, demonstration });
  terminal.line();
  const shown = relative(ROOT, directory);
  showNextSteps(terminal, sandbox, shown.startsWith('..') ? directory : shown);
}

function sandboxOf(
  addresses: Addresses,
  partners: readonly SandboxPartner[],
  supervisor: Supervisor,
): Sandbox {
  return {
    base_url: addresses.api,
    checkout_url: addresses.api,
    temporal_address: addresses.temporal,
    temporal_ui_url: addresses.temporalUi,
    database_url: addresses.database,
    provider_url: addresses.provider,
    metrics_url: addresses.metrics,
    processes: supervisor.running().map(({ name, pid }) => ({ name, pid })),
    partners: [...partners],
  };
}

/** Only once it is there: before, the system is not up. */
function rewriteProcesses(directory: string, supervisor: Supervisor): void {
  const sandbox = readSandboxFile(directory);
  if (sandbox === undefined) return;
  const processes = supervisor.running().map(({ name, pid }) => ({ name, pid }));
  writeSandboxFile(directory, { ...sandbox, processes });
}

function tellRestart({ name, reason, tookMs }: Restart): void {
  terminal.line(`  ${name} ended (${reason}) and was started again in ${formatMs(tookMs)}`);
}

function tellRunning(directory: string, pid: number): void {
  const sandbox = readSandboxFile(directory);
  if (sandbox === undefined) {
    terminal.line(`  \`npm start\` is running here already (pid ${String(pid)}) and not up yet.`);
    return;
  }
  terminal.line(`  \`npm start\` is running here already (pid ${String(pid)}):`);
  terminal.line();
  const { WORKER_METRICS_PORT: port } = keptPorts(directory);
  const workerMetrics = port === undefined ? undefined : metricsUrl(port);
  showAddresses(terminal, { sandbox, workerMetrics });
}

/** The first signal stops in order, a second one at once. */
function stopOnSignals(supervisor: Supervisor, directory: string) {
  let firstAt: number | undefined;
  let stopping: Promise<void> | undefined;
  const now = () => {
    removeSandboxFile(directory);
    stopping ??= supervisor.stop();
    return stopping;
  };
  const asked = new Promise<void>((resolve) => {
    const onSignal = () => {
      const isRepeat = firstAt !== undefined && performance.now() - firstAt > SAME_CTRL_C_MS;
      if (isRepeat) forceEnd(supervisor);
      if (firstAt !== undefined) return;
      firstAt = performance.now();
      terminal.line('  stopping …');
      void now().then(resolve);
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  });
  return { asked, now, wasAsked: () => firstAt !== undefined };
}

function forceEnd(supervisor: Supervisor): void {
  supervisor.kill();
  process.exit(130);
}

// A closed terminal must not end the orderly stop.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);

main()
  .catch((error: unknown) => {
    const isExpected = error instanceof StartError;
    const text = error instanceof Error ? error.message : String(error);
    terminal.complain(isExpected ? text : `The start failed: ${text}`);
    process.exitCode = 1;
  })
  .finally(() => {
    // Sockets that a library keeps open must not keep an ended start alive.
    process.exit();
  });
