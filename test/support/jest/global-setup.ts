// Jest's global setup of the projects that need servers: starts them once per run, and passes their
// addresses by environment variables. Set TEST_TEMPORAL_ADDRESS to use a running Temporal server.
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { StartError } from '../../../src/dev/stack/start-error';
import { readTools, ROOT, testServerOf } from '../../../src/dev/tools';
import { storeServers, runningServers } from '../servers/running-servers';
import { createTestServers } from '../servers/test-servers';

export default async function globalSetup(): Promise<void> {
  try {
    await startServers();
  } catch (error) {
    await stopOrderly();
    explain(error);
  }
}

async function startServers(): Promise<void> {
  const testServer = testServerOf(readTools());
  const servers = createTestServers();
  storeServers(servers);
  endWithThisProcess();
  const temporalAddress = process.env['TEST_TEMPORAL_ADDRESS'];
  const addresses = await servers.start({ temporalAddress });
  process.env['TEST_DATABASE_URL'] = addresses.databaseUrl;
  process.env['TEST_TEMPORAL_ADDRESS'] = addresses.temporalAddress;
  process.env['TEST_TEMPORAL_TEST_SERVER'] = testServer;
  process.env['TEST_RUN_FOLDER'] = addresses.folder;
  process.env['TEST_PAYCTL'] = await bundlePayctl(addresses.folder);
}

/** A bundled payctl starts twice as fast as from its sources. */
async function bundlePayctl(folder: string): Promise<string> {
  const outfile = join(folder, 'payctl.js');
  const entry = join(ROOT, 'src', 'ops', 'payctl.ts');
  await build({
    ...{ entryPoints: [entry], outfile, bundle: true, platform: 'node', logLevel: 'silent' },
    // The UMD form of jsonc-parser requires its files at run time.
    mainFields: ['module', 'main'],
    define: { __dirname: JSON.stringify(dirname(entry)) },
  });
  return outfile;
}

/** On Ctrl-C, and after a crash, Jest exits without its teardown. */
function endWithThisProcess(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      void stopOrderly().finally(() => process.exit(130));
    });
  }
  process.once('exit', () => runningServers()?.kill());
}

async function stopOrderly(): Promise<void> {
  const servers = runningServers();
  storeServers(undefined);
  await servers?.stop();
}

function explain(error: unknown): never {
  if (!(error instanceof StartError)) throw error;
  // Jest prints the stack of this error, which would hide its message.
  error.stack = error.message;
  throw error;
}
