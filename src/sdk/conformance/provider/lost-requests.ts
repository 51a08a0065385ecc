// Requests whose answer is lost: the connection is cut, or the caller is killed.
import { spawn } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { connect as connectSecure, TLSSocket } from 'node:tls';
import { orderRequest, type Order, type Target } from './caller';

/** `half`: within the order; `sent`: behind the order; `answered`: at the answer's first byte. */
export type Cut = 'half' | 'sent' | 'answered';

/** Sends the order on a connection of its own, and cuts that. Never throws. */
export function sendAndCut(
  order: Order,
  target: Target,
  { cut, timeoutMs }: { readonly cut: Cut; readonly timeoutMs: number },
): Promise<void> {
  const { path, headers, body } = orderRequest(order, target);
  const url = new URL(`${target.baseUrl}${path}`);
  const lines = Object.entries({
    ...{ ...headers, host: url.host },
    'content-length': String(Buffer.byteLength(body)),
  }).map(([name, value]) => `${name}: ${value}`);
  const head = [`POST ${url.pathname} HTTP/1.1`, ...lines, '', ''].join('\r\n');
  const text = head + (cut === 'half' ? body.slice(0, body.length / 2) : body);
  return new Promise((resolve) => {
    const socket = opened(url, () => {
      socket.write(text, () => {
        if (cut !== 'answered') end(socket);
      });
    });
    socket.once('data', () => {
      end(socket);
    });
    socket.setTimeout(timeoutMs, () => {
      end(socket);
    });
    socket.on('error', () => undefined);
    socket.once('close', () => {
      resolve();
    });
  });
}

function opened(url: URL, work: () => void): Socket {
  const { hostname, protocol } = url;
  const host = hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port);
  return protocol === 'https:'
    ? connectSecure({ host, port: port || 443, servername: host }, work)
    : connect({ host, port: port || 80 }, work);
}

/** A reset, as by a caller that is gone. Node cannot reset a TLS connection. */
function end(socket: Socket): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}

/** Its input has the credential, because other users of the machine can see arguments. */
const SCRIPT = `
const { url, options, body } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
const { request } = require(url.startsWith('https:') ? 'node:https' : 'node:http');
const sent = request(url, options);
sent.on('error', () => process.stdout.write('failed'));
sent.end(body, () => process.stdout.write('sent'));
setInterval(() => undefined, 1000);
`;

/** A process of its own sends the order and is killed (SIGKILL) before it reads an answer. */
export function sendAndDie(order: Order, target: Target, timeoutMs: number): Promise<void> {
  const { path, headers, body } = orderRequest(order, target);
  const child = spawn(process.execPath, ['-e', SCRIPT], {
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  const url = `${target.baseUrl}${path}`;
  child.stdin.on('error', () => undefined);
  child.stdin.end(JSON.stringify({ url, options: { method: 'POST', headers }, body }));
  child.stdout.once('data', () => child.kill('SIGKILL'));
  return new Promise((resolve) => {
    child.once('error', () => {
      resolve();
    });
    child.once('close', () => {
      resolve();
    });
  });
}
