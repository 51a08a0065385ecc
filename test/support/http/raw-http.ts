// HTTP as nobody's library sends it: bytes as they are, over a socket of their own, and the answers that came back.
import { connect } from 'node:net';

export interface RawReply {
  readonly status: number;
  /** The head as it came, without its first line. */
  readonly head: string;
  readonly text: string;
}

/** Comes back when the server has ended the connection. `parts` are sent one after the other has left. */
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
    // A client that still sends when it has been refused is reset: what it was told before counts.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      resolve(readReplies(Buffer.concat(received).toString('latin1')));
    });
  });
}

export type RawHeaders = readonly (readonly [name: string, value: string])[];

/** A request without a body, the last on its connection, with its headers in the order and number that they are given. */
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
