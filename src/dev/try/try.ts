// `npm run sandbox:try` serves a page on this computer on which a person plays one payment of the
// sandbox by hand.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { processEnvironment, readLocalDir } from '../../config';
import { readSandboxFile } from '../demo/sandbox-file';
import { StartError } from '../stack/start-error';
import { COMMANDS } from '../tools';
import { createTryServer } from './server';

const HEALTH_TIMEOUT_MS = 5_000;

async function main(): Promise<void> {
  const directory = resolve(readLocalDir(processEnvironment()));
  await demandSandbox(directory);
  const server = createTryServer(() => readSandboxFile(directory)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  console.log(`\n  Play a payment: http://127.0.0.1:${String(port)}`);
  console.log('  Ctrl-C ends this page; the sandbox goes on.\n');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      server.close();
      // The response of a watching page does not end by itself.
      server.closeAllConnections();
    });
  }
  await once(server, 'close');
}

/** @throws StartError when there is no sandbox to play with */
async function demandSandbox(directory: string): Promise<void> {
  const sandbox = readSandboxFile(directory);
  if (sandbox !== undefined && (await isUp(sandbox.base_url))) return;
  const problem =
    sandbox === undefined
      ? 'No sandbox is running here'
      : `The sandbox does not answer at ${sandbox.base_url}`;
  throw new StartError(
    `${problem}: run \`${COMMANDS.start}\` in another terminal, wait until it is ready, and try again.`,
  );
}

/** An API that rejects the connection or answers too slowly counts as not up. */
function isUp(baseUrl: string): Promise<boolean> {
  return fetch(`${baseUrl}/healthz`, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

main().catch((error: unknown) => {
  const isExpected = error instanceof StartError;
  const text = error instanceof Error ? error.message : String(error);
  console.error(isExpected ? text : `sandbox:try failed: ${text}`);
  process.exitCode = 1;
});
