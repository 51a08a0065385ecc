// Measures one trouble in a sandbox of its own, so that it leaves no traces for the next.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts, readStoredPorts } from '../../../src/dev/stack/ports';
import { readTools, ROOT, temporalCliOf } from '../../../src/dev/tools';
import { until } from '../../../src/dev/until';
import { readAlarmRules } from '../../support/docs/alarm-rules';
import { npmStart, type NpmStart } from '../../support/programs/npm-start';
import { startLoad, type Load } from './load';
import { startPrometheus, type Alert, type Prometheus } from './prometheus';
import { FUNCTIONS, type Trouble } from './troubles';

const SCRAPED_WITHIN_MS = 180_000;
const FIRES_WITHIN_MS = 600_000;
const ENDS_WITHIN_MS = 900_000;
const COMMAND_WITHIN_MS = 120_000;
const EVERY_MS = 250;
const RULES = readAlarmRules();

export interface Measured {
  readonly trouble: string;
  readonly alarm: string;
  /** From the command until the alarm fires; null: it did not. */
  readonly alarmSeconds: number | null;
  /** How long the command takes that shows what is wrong; null: it did not show that. */
  readonly shownSeconds: number | null;
  /** From the command that ends the trouble until the alarm is over; null: it is not, or lasts. */
  readonly endedSeconds: number | null;
}

export async function measure(trouble: Trouble): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'alarms-'));
  symlinkSync(temporalCliOf(readTools()), join(folder, 'temporal'));
  const started = await npmStart(join(folder, 'local'), trouble.settings);
  const load = startLoad(started.sandbox(), trouble.isQuiet);
  try {
    const prometheus = await startPrometheus(join(folder, 'prometheus'), targetsOf(started));
    note('  scraped while all is well');
    await until(prometheus.hasScraped, { everyMs: EVERY_MS, timeoutMs: SCRAPED_WITHIN_MS });
    const observed = observe(trouble, { folder, started, load, prometheus });
    return await observed.finally(prometheus.stop);
  } finally {
    load.stop();
    for (const { pid } of started.sandbox().processes) {
      await shell(`kill -CONT ${String(pid)} $(pgrep -P ${String(pid)})`, {});
    }
    await started.interrupt();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface World {
  readonly folder: string;
  readonly started: NpmStart;
  readonly load: Load;
  readonly prometheus: Prometheus;
}

async function observe(trouble: Trouble, world: World): Promise<Measured> {
  const { started, load, prometheus, folder } = world;
  const ports = readStoredPorts(started.directory);
  const env = {
    ...trouble.settings,
    LOCAL_DIR: started.directory,
    PATH: `${folder}:${process.env['PATH'] ?? ''}`,
    TEMPORAL_ADDRESS: started.sandbox().temporal_address,
    API_METRICS_PORT: String(ports.METRICS_PORT),
    WORKER_METRICS_PORT: String(ports.WORKER_METRICS_PORT),
    GONE_PORT: String((await freePorts(1))[0]),
  };
  if (trouble.prepare !== undefined) await shell(trouble.prepare, env);
  const before = new Set((await prometheus.alerts()).filter(isCertain).map(nameOf));
  const begin = { at: performance.now(), time: Date.now() };
  const produced = shell(trouble.produce, env);
  const seen = new Map<string, number>();
  const look = async () => {
    for (const alert of (await prometheus.alerts()).filter(isCertain)) {
      const name = nameOf(alert);
      if (before.has(name) || seen.has(name)) continue;
      const waited = Math.round((performance.now() - begin.at) / 1_000);
      seen.set(name, waited + (alert.state === 'firing' ? 0 : holdSecondsOf(name)));
      note(`  ${String(waited)} s: ${name} is ${alert.state}`);
    }
    return seen.has(trouble.alarm);
  };
  await until(look, { everyMs: EVERY_MS, timeoutMs: FIRES_WITHIN_MS });
  const { output } = await produced;
  const id = /pi_\w+/.exec(output)?.[0] ?? load.firstAfter(begin.time + 1_000);
  const shown = await shell(trouble.understand, { ...env, ID: id });
  const isShown = trouble.says.test(shown.output);
  if (!isShown) note(`  not shown by \`${trouble.understand}\`:\n${shown.output}`);
  return {
    ...{ trouble: trouble.name, alarm: trouble.alarm },
    alarmSeconds: seen.get(trouble.alarm) ?? null,
    shownSeconds: isShown ? shown.seconds : null,
    endedSeconds: await secondsToEnd(trouble, prometheus, { ...env, ID: id }),
  };
}

async function secondsToEnd(
  { mend, alarm }: Trouble,
  prometheus: Prometheus,
  env: Environment,
): Promise<number | null> {
  const isOver = async () => !(await prometheus.alerts()).some((alert) => nameOf(alert) === alarm);
  if (mend === undefined || (await isOver())) return null;
  const begin = performance.now();
  const { output } = await shell(mend, env);
  const ended = await until(isOver, { everyMs: EVERY_MS, timeoutMs: ENDS_WITHIN_MS });
  if (ended) return Math.round((performance.now() - begin) / 1_000);
  note(`  not ended by \`${mend}\`:\n${output}`);
  return null;
}

function nameOf({ labels }: Alert): string {
  return labels['alertname'] ?? '';
}

/** An alarm that has to hold for an hour is waited for until it is pending. */
function isCertain(alert: Alert): boolean {
  return alert.state === 'firing' || holdSecondsOf(nameOf(alert)) > 0;
}

function holdSecondsOf(name: string): number {
  return RULES.find(({ alert }) => alert === name)?.for === '1h' ? 3_600 : 0;
}

function targetsOf({ directory }: NpmStart): readonly string[] {
  const { METRICS_PORT: api = 0, WORKER_METRICS_PORT: worker = 0 } = readStoredPorts(directory);
  return [api, worker].map((port) => `127.0.0.1:${String(port)}`);
}

const PAYCTL = 'payctl() { npm run -s payctl -- "$@"; }';

type Environment = Readonly<Record<string, string>>;

/** Both outputs of a shell command of the page, and how long it took. */
function shell(command: string, env: Environment) {
  const begin = performance.now();
  const options = { cwd: ROOT, env: { ...process.env, ...env }, timeout: COMMAND_WITHIN_MS };
  return new Promise<{ readonly output: string; readonly seconds: number }>((resolve) => {
    execFile('bash', ['-c', PAYCTL + FUNCTIONS + command], options, (_error, stdout, stderr) => {
      const seconds = Math.round((performance.now() - begin) / 100) / 10;
      resolve({ output: stdout + stderr, seconds });
    });
  });
}

/** Progress, on standard error. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}
