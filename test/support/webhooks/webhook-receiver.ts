// A partner's endpoint in tests: a real HTTP server that remembers what it was sent and answers as it is told.
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
  /** In the order in which they came in whole. */
  readonly received: readonly Received[];
  /** Also what waits for an answer is cut. */
  close(): void;
}

/** @param nth counts what was received, from 1 */
export type Answer = (request: IncomingMessage, response: ServerResponse, nth: number) => void;

export const answers =
  (status: number, headers: Readonly<Record<string, string>> = {}, body = ''): Answer =>
  (_request, response) => {
    response.writeHead(status, headers).end(body);
  };

interface ReceiverOptions {
  /** With a certificate that nobody has signed. */
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
