// Sends raw bytes as HTTP over a socket, which no HTTP library would send, and reads the answers.
import { connect } from 'node:net';

export interface RawReply {
  readonly status: number;
  /** The raw headers, without the status line. */
  readonly head: string;
  readonly text: string;
}

/**
 * Resolves when the server has closed the connection. The other parts are sent after the first was
 * flushed.
 */
export function sendRaw(port: number, ...parts: readonly (string | Buffer)[]): Promise<RawReply[]> {
  return new Promise((resolve) => {
    const received: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => {
      const [first = '', ...rest] = parts;
      socket.write(first, () => {
        rest.forEach((part) => socket.write(part));
      });
    });
    socket.on('data', (chunk) => received.push(chunk));
    // The server may reset the connection after a rejection; the answers before it count.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      resolve(readReplies(Buffer.concat(received).toString('latin1')));
    });
  });
}

export type RawHeaders = readonly (readonly [name: string, value: string])[];

/** A request without body that closes its connection, with exactly these headers in this order. */
export function rawRequest(requestLine: string, headers: RawHeaders = []): string {
  const lines = [['Host', 'x'], ['Connection', 'close'], ...headers];
  return [requestLine, ...lines.map((line) => line.join(': ')), '', ''].join('\r\n');
}

function readReplies(text: string): RawReply[] {
  const match = /^HTTP\/1\.1 (\d{3}) [^\r]*\r\n([^]*?)\r\n\r\n/.exec(text);
  if (match === null) return [];
  const [whole, status, head = ''] = match;
  const end = whole.length + Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
  const reply = { status: Number(status), head, text: text.slice(whole.length, end) };
  return [reply, ...readReplies(text.slice(end))];
}
