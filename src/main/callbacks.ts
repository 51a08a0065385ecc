// The listener of a worker for callbacks of payout providers, off unless it has a port.
import { randomBytes } from 'node:crypto';
import { createCallbackApp, type CallbackAccounts } from '../../api/callbacks';
import { closeServer, createApiServer } from '../../api/server';
import { takeHint } from '../postgres/payouts/hints';
import { readTlsFiles } from './api-files';
import { listen } from './listen';
import type { WorkerParts } from './worker/parts';

/** A slow sender holds one for twenty seconds. */
const CONNECTIONS_MAX = 256;
const DRAIN_MS = 5_000;

export async function listenForCallbacks(parts: WorkerParts, accounts: CallbackAccounts) {
  const { config, database, log, metrics } = parts;
  if (config.CALLBACK_PORT === undefined) return { ready: {}, close: () => Promise.resolve() };
  const randomness = { bytes: randomBytes };
  const app = createCallbackApp({
    ...{ accounts, randomness, log },
    count: (corridor, result) => metrics.callbackAnswered(corridor, result),
    take: (hint) => takeHint(database, hint),
  });
  const server = createApiServer({
    ...{ handler: app.callback(), envelope: 'flat', randomness, tls: readTlsFiles(config) },
    clock: { now: () => new Date() },
    connectionsMax: CONNECTIONS_MAX,
  });
  const port = await listen(server, config.CALLBACK_PORT, config.HOST);
  return { ready: { callback_port: port }, close: () => closeServer(server, DRAIN_MS) };
}
