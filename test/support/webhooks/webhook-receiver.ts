// A partner's webhook endpoint in tests: a real HTTP server that records requests and gives the
// answers of the test.
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { listen } from '../../../src/main/listen';
import { certificateAndKey } from '../http/certificate';

export interface Received {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  /** In the order in which the requests were complete. */
  readonly received: readonly Received[];
  /** Closes connections too, even those that wait for an answer. */
  close(): void;
}

/** @param nth number of the request, counted from 1 */
export type Answer = (request: IncomingMessage, response: ServerResponse, nth: number) => void;

export const answers =
  (status: number, headers: Readonly<Record<string, string>> = {}, body = ''): Answer =>
  (_request, response) => {
    response.writeHead(status, headers).end(body);
  };

interface ReceiverOptions {
  /** Uses TLS with a self-signed certificate. */
  readonly isTls?: boolean;
}

export async function startReceiver(
  answer: Answer,
  { isTls = false }: ReceiverOptions = {},
): Promise<Receiver> {
  const received: Received[] = [];
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { headers } = request;
      const body = Buffer.concat(chunks).toString();
      received.push({ id: String(headers['webhook-id']), headers, body });
      answer(request, response, received.length);
    });
  };
  const server: Server = isTls
    ? createTlsServer(certificateAndKey(), onRequest)
    : createServer(onRequest);
  const port = await listen(server, 0, '127.0.0.1');
  return {
    url: `${isTls ? 'https' : 'http'}://127.0.0.1:${String(port)}/webhooks`,
    received,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
