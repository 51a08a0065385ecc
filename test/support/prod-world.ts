// A deployment with SERVICE_ENV=prod: the real programs over an empty database and a separate
// Temporal namespace, with their own settings and none of this machine's.
import { ofOneProvider } from '../../src/config/providers';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleCheckout, writeCheckout } from '../../src/dev/package/checkout-bundle';
import { until } from '../../src/dev/until';
import { workflowBundle } from '../../src/dev/package/workflow-bundle';
import { INSTALLATION_KEY, KEY_ENCRYPTION_KEY } from './builders';
import { CERT_FILE, KEY_FILE } from './http/certificate';
import { createEmptyDatabase, type TestDatabase } from './database';
import { startProcess, type StartedProcess } from './programs/started-process';
import { startPayingProvider, type PayingProvider } from './payments/paying-provider';
import {
  NOTHING_ELSE,
  runToEnd,
  type ProgramSettings,
  type ProgramResult,
} from './programs/run-to-end';
import { twoPeopleOn } from './programs/two-people';
import { aRoleLogin } from './servers/role-login';
import { temporalAddress } from './servers/temporal-address';

export type Program = 'migrate' | 'prepare-temporal' | 'api' | 'api-health' | 'worker';

interface LogLine {
  readonly msg: string;
  readonly [member: string]: unknown;
}

/** A program that serves until it is interrupted. */
export interface Serving extends StartedProcess {
  /** The log so far. */
  readonly logged: () => readonly LogLine[];
  /** The port of an API. */
  readonly port: number;
  readonly address: string;
}

export interface ProdWorld {
  readonly databaseUrl: string;
  /** The login of the operator who asks. */
  readonly operator: string;
  /** Of Temporal. */
  readonly namespace: string;
  readonly provider: PayingProvider;
  /**
   * Runs deploy/postgres/roles.sql on the migrated database. All programs but `migrate` and
   * `payctl` connect as payments_app.
   */
  grantRoles(): Promise<void>;
  /** Builds the checkout and the workflows, as `npm run build` does. Takes some seconds. */
  build(): Promise<void>;
  /**
   * Resolves when the program is ready.
   * @param settings override those of the deployment; empty values are not set
   */
  serve(program: 'api' | 'worker', settings?: ProgramSettings): Promise<Serving>;
  /** Runs a program to its end. */
  run(program: Program, settings?: ProgramSettings): Promise<ProgramResult>;
  /**
   * As an operator. What needs two people is approved by an approver, and printed with the secrets
   * that were shown to the operator; it needs --json.
   */
  payctl(...args: readonly string[]): Promise<ProgramResult>;
  /** The JSON output of payctl. */
  payctlJson<Printed>(...args: readonly string[]): Promise<Printed>;
  close(): Promise<void>;
}

const READY_WITHIN_MS = 60_000;
const PROVIDER_TOKEN = 'only for the provider of this test';

/**
 * @param deployed settings of every program, over those of this world
 * @param given a database of the test's own, instead of a new one
 */
export async function openProdWorld(
  deployed: ProgramSettings = {},
  given?: TestDatabase,
): Promise<ProdWorld> {
  const directory = mkdtempSync(join(tmpdir(), 'prod-'));
  const database = given ?? (await createEmptyDatabase());
  const provider = await startPayingProvider(PROVIDER_TOKEN);
  const files = { checkout: join(directory, 'checkout'), workflows: '' };
  const serving: StartedProcess[] = [];
  const namespace = `prod-${randomUUID()}`;
  const app = await aRoleLogin(database.url, 'payments_app');
  const shared = { ...sharedSettings(app.url, namespace), ...deployed };
  const settingsFor = (program: Program, settings: ProgramSettings) => ({
    ...shared,
    ...(program === 'migrate' && { DATABASE_URL: database.url }),
    ...{ ...providerSettings(provider), WORKFLOW_BUNDLE: files.workflows },
    ...(program.startsWith('api') && { ...API_SETTINGS, CHECKOUT_DIR: files.checkout }),
    ...settings,
  });
  const people = await twoPeopleOn(database.url, shared);
  return {
    ...{ databaseUrl: database.url, operator: people.operator, namespace, provider },
    async grantRoles() {
      for (const login of [app, people]) await login.grantRoles();
    },
    async build() {
      writeCheckout(files.checkout, await bundleCheckout());
      const stopping = new AbortController().signal;
      files.workflows = await workflowBundle({ env: NOTHING_ELSE, directory, stopping });
    },
    async serve(program, settings = {}) {
      const started = startProcess(scriptOf(program), settingsFor(program, settings), NOTHING_ELSE);
      // Added before the wait, so that a program that never gets ready is stopped too.
      serving.push(started);
      return untilReady(program, started);
    },
    run: (program, settings = {}) =>
      runToEnd(scriptOf(program), [], settingsFor(program, settings)),
    payctl: people.payctl,
    payctlJson: async <Printed>(...args: readonly string[]) =>
      jsonOf(await people.payctl(...args, '--json')) as Printed,
    async close() {
      await Promise.all(serving.map((started) => started.interrupt()));
      provider.close();
      await database.drop();
      for (const login of [app, people]) await login.drop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/**
 * Settings of every program, including payctl. Each program ignores settings that it does not know.
 */
function sharedSettings(databaseUrl: string, namespace: string) {
  return {
    NODE_ENV: 'production',
    SERVICE_ENV: 'prod',
    DATABASE_URL: databaseUrl,
    KEY_ENCRYPTION_KEY: KEY_ENCRYPTION_KEY.toString('base64'),
    INSTALLATION_KEY: INSTALLATION_KEY.toString('base64'),
    TEMPORAL_ADDRESS: temporalAddress(),
    TEMPORAL_NAMESPACE: namespace,
    HOST: '127.0.0.1',
    METRICS_PORT: '0',
    // A confirm by operators has no scanned code, so one corridor must not require it (decision
    // 20).
    QR_PAYLOAD_REQUIRED_TH_QRPAY: 'false',
    // The provider of this world gives no quotes.
    QUOTE_REQUIRED_TH_QRPAY: 'false',
    QUOTE_REQUIRED_VN_QRPAY: 'false',
  };
}

const API_SETTINGS = { PORT: '0', TLS_CERT_FILE: CERT_FILE, TLS_KEY_FILE: KEY_FILE };

function providerSettings({ url }: PayingProvider) {
  return {
    ...ofOneProvider(url, PROVIDER_TOKEN),
    // Operators set this for a provider whose certificate has a private authority.
    NODE_EXTRA_CA_CERTS: CERT_FILE,
  };
}

function scriptOf(program: Program): string {
  return `src/main/${program}.ts`;
}

async function untilReady(program: Program, started: StartedProcess): Promise<Serving> {
  const logged = () => linesOf(started.output());
  const line = () => logged().find(({ msg }) => msg === 'ready');
  const isOver = () => line() !== undefined || started.process.exitCode !== null;
  await until(isOver, { timeoutMs: READY_WITHIN_MS });
  const ready = line();
  if (ready === undefined) throw new Error(`${program} is not ready:\n${started.output()}`);
  const port = Number(ready['port']);
  return { ...started, logged, port, address: `https://127.0.0.1:${String(port)}` };
}

function jsonOf({ code, stdout, stderr }: ProgramResult): unknown {
  if (code !== 0) throw new Error(`payctl exited with ${String(code)}: ${stderr}`);
  return JSON.parse(stdout);
}

/** Reads complete JSON lines, and ignores other output of Node. */
function linesOf(output: string): readonly LogLine[] {
  return output
    .slice(0, output.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as LogLine);
}
