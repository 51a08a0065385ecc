// Runs the whole system on this machine, makes one real payment, and then serves until Ctrl-C. A
// clone and the packed sandbox have this one program (decision 142).
import { relative, resolve } from 'node:path';
import { processEnvironment, readLocalDir } from '../config/config';
import { everyAddressAnswers, showAddresses, showNextSteps } from './stack/addresses';
import { requireOurBaseline } from './stack/data-folder';
import { demonstrate, linkToPay } from './demo/demo';
import { choosePorts, readStoredPorts } from './stack/ports';
import { endStaleProcesses } from './stack/processes';
import { readSandboxFile, removeSandboxFile, writeSandboxFile } from './demo/sandbox-file';
import { readSettings } from './stack/settings';
import {
  addressesOf,
  metricsUrl,
  startStack,
  type BuiltFiles,
  type StackOptions,
} from './stack/stack';
import { StartError } from './stack/start-error';
import { takeStartLock } from './stack/start-lock';
import { Supervisor } from './stack/supervisor';
import { createTerminal, formatMs } from './terminal';
import { COMMANDS, readTools } from './tools';

const environment = processEnvironment();
const terminal = createTerminal({
  output: process.stdout,
  isColoured: process.stdout.isTTY && (environment['NO_COLOR'] ?? '') === '',
});
/** npm and the terminal both forward one Ctrl-C; only a later signal means "stop at once". */
const SAME_CTRL_C_MS = 700;

/** The whole program: it ends this process. */
export function serveUntilStopped(built: BuiltFiles): void {
  // A closed terminal must not end the orderly stop.
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
  main(built)
    .catch((error: unknown) => {
      const isExpected = error instanceof StartError;
      const text = error instanceof Error ? error.message : String(error);
      terminal.complain(isExpected ? text : `The start failed: ${text}`);
      process.exitCode = 1;
    })
    .finally(() => {
      // Sockets that a library keeps open must not keep this process running.
      process.exit();
    });
}

async function main(built: BuiltFiles): Promise<void> {
  const startedAt = performance.now();
  const directory = resolve(readLocalDir(environment));
  const lock = takeStartLock(directory);
  if (!lock.isOurs) {
    printRunning(directory, lock.owner.pid);
    return;
  }
  const supervisor = new Supervisor({
    directory,
    onLaunch: () => {
      const sandbox = readSandboxFile(directory);
      // The file is written once the whole system is up.
      if (sandbox)
        writeSandboxFile(directory, { ...sandbox, processes: [...supervisor.running()] });
    },
    onRestart: ({ name, reason, tookMs }) => {
      terminal.line(`  ${name} ended (${reason}) and was started again in ${formatMs(tookMs)}`);
    },
  });
  const stop = stopOnSignals(supervisor, directory);
  try {
    await serve(directory, built, supervisor);
    terminal.line(terminal.dim(`  Ready in ${formatMs(performance.now() - startedAt)}.`));
    await stop.stopped;
  } catch (error) {
    // A failure during the stop is expected.
    if (!stop.isRequested()) throw error;
  } finally {
    await stop.now();
    lock.release();
    if (stop.isRequested()) terminal.line('  stopped; the data stays');
  }
}

async function serve(directory: string, built: BuiltFiles, supervisor: Supervisor): Promise<void> {
  requireOurBaseline(directory);
  removeSandboxFile(directory);
  const ended = await endStaleProcesses(directory);
  if (ended.length > 0) terminal.line(`  ended processes of a killed start: ${ended.join(', ')}`);
  const settings = readSettings(environment);
  const ports = await choosePorts(settings, directory);
  const tools = readTools();
  const options: StackOptions = { directory, built, tools, ports, settings, environment };
  terminal.line();
  const partners = await startStack(options, supervisor, terminal);
  const addresses = addressesOf(options);
  const processes = [...supervisor.running()];
  const sandbox = { ...addresses, processes, partners: [...partners] };
  await terminal.step('every address answers', () => everyAddressAnswers(sandbox, directory));
  writeSandboxFile(directory, sandbox);
  terminal.line();
  const [partner] = partners;
  if (partner === undefined) throw new Error('there is no sandbox partner');
  const { stopping } = supervisor;
  const intentId = await demonstrate(partner, addresses, { terminal, stopping });
  terminal.line();
  showAddresses(terminal, sandbox, intentId);
  terminal.line();
  const shown = relative(process.cwd(), directory);
  const link = await linkToPay(partner, addresses);
  showNextSteps(terminal, sandbox, shown.startsWith('..') ? directory : shown, link);
}

function printRunning(directory: string, pid: number): void {
  const running = `  \`${COMMANDS.start}\` is running here already (pid ${String(pid)})`;
  const sandbox = readSandboxFile(directory);
  if (sandbox === undefined) {
    terminal.line(`${running}, and starts or stops: wait for that, then repeat.`);
    return;
  }
  terminal.line(`${running}:`);
  terminal.line();
  const { WORKER_METRICS_PORT: port = 0 } = readStoredPorts(directory);
  showAddresses(terminal, { ...sandbox, worker_metrics_url: metricsUrl(port) });
}

/** The first signal stops the stack in order, a second one at once. */
function stopOnSignals(supervisor: Supervisor, directory: string) {
  let firstAt: number | undefined;
  let stopping: Promise<void> | undefined;
  const now = () => {
    removeSandboxFile(directory);
    return (stopping ??= supervisor.stop());
  };
  const stopped = new Promise<void>((resolve) => {
    const onSignal = () => {
      if (firstAt === undefined) {
        firstAt = performance.now();
        terminal.line('  stopping …');
        void now().then(resolve);
      } else if (performance.now() - firstAt > SAME_CTRL_C_MS) {
        supervisor.kill();
        process.exit(130);
      }
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  });
  return { stopped, now, isRequested: () => firstAt !== undefined };
}
