// The API's HTTP server before a handler of a test's own.
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createApiServer } from '../../../api/server';
import { listen } from '../../../src/main/listen';
import { createTestClock } from '../clock';

export type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

type Timeouts = Pick<Server, 'headersTimeout' | 'requestTimeout' | 'keepAliveTimeout'>;

interface ServerWish extends Partial<Timeouts> {
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly connectionsCheckingInterval?: number;
}

/** A server that listens. @param wish timeouts in milliseconds; those of the product unless given */
export async function aServer(handler: Handler, { tls, ...timeouts }: ServerWish = {}) {
  const server = createApiServer({
    handler,
    envelope: 'flat',
    randomness: { bytes: (count) => randomBytes(count) },
    clock: createTestClock(),
    tls,
  });
  Object.assign(server, timeouts);
  return { server, port: await listen(server, 0, '127.0.0.1') };
}
