// The API's HTTP server with a handler of the test.
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createApiServer } from '../../../api/server';
import { listen } from '../../../src/main/listen';
import { createTestClock } from '../clock';

export type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

type Timeouts = Pick<Server, 'headersTimeout' | 'requestTimeout' | 'keepAliveTimeout'>;

interface ServerOptions extends Partial<Timeouts> {
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly connectionsCheckingInterval?: number;
  readonly connectionsMax?: number;
}

/** Starts the server. Timeouts are in milliseconds; default those of the product. */
export async function aServer(
  handler: Handler,
  { tls, connectionsMax = 4_096, ...timeouts }: ServerOptions = {},
) {
  const server = createApiServer({
    handler,
    envelope: 'flat',
    randomness: { bytes: (count) => randomBytes(count) },
    clock: createTestClock(),
    tls,
    connectionsMax,
  });
  Object.assign(server, timeouts);
  return { server, port: await listen(server, 0, '127.0.0.1') };
}
