// The Temporal test server as a hosted service offers it: behind TLS, for clients with a
// certificate or an API key, and without the operator service.
import { readFileSync } from 'node:fs';
import {
  connect,
  constants,
  createSecureServer,
  type ClientHttp2Session,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { listen } from '../../../src/main/listen';
import { temporalAddress } from './temporal-address';

const TLS = join(__dirname, '..', 'tls');
export const AUTHORITY_FILE = join(TLS, 'authority.pem');
export const NEXT_AUTHORITY_FILE = join(TLS, 'next-authority.pem');
/** A certificate of that authority and its key, in one file. */
export const CLIENT_FILE = join(TLS, 'client.pem');
/** The same of the next authority. */
export const NEXT_CLIENT_FILE = join(TLS, 'next-client.pem');
export const SERVER_FILE = join(TLS, 'server.pem');

interface Admission {
  /** Files of the authorities of client certificates; undefined: no certificate is needed. */
  readonly authorities?: readonly string[];
  /** The API key that each call needs. */
  readonly apiKey?: string;
  /** Calls whose path contains this are refused with PERMISSION_DENIED. */
  readonly denied?: string;
}

export interface HostedTemporal {
  readonly address: string;
  /** Accepts client certificates of these authorities from the next connection on. */
  trust(...authorities: readonly string[]): void;
  /** How many connections have sent a ping. */
  pinged(): number;
  close(): void;
}

const [PERMISSION_DENIED, UNAUTHENTICATED] = ['7', '16'];

/** @param upstream host and port of the server behind */
export async function startHostedTemporal(
  upstream: string,
  admission: Admission,
): Promise<HostedTemporal> {
  const sessions = new Set<{ destroy(): void }>();
  const pinging = new Set<unknown>();
  const server = createSecureServer({
    ...contextOf(admission.authorities),
    requestCert: admission.authorities !== undefined,
    rejectUnauthorized: true,
  });
  server.on('session', (session) => {
    // One connection behind for each in front, as limits of streams are per connection.
    const behind = connect(`http://${upstream}`);
    for (const one of [session, behind]) {
      sessions.add(one);
      one.on('error', () => undefined);
    }
    session.on('ping', () => pinging.add(session));
    session.on('close', () => {
      behind.destroy();
    });
    session.on('stream', (stream, headers) => {
      const refused = refusalOf(headers, admission);
      if (refused === undefined) forward(stream, headers, behind);
      else
        answer(stream, { ...GRPC, 'grpc-status': refused, 'grpc-message': 'refused here' }, true);
    });
  });
  const port = await listen(server, 0, '127.0.0.1');
  return {
    address: `127.0.0.1:${String(port)}`,
    trust(...authorities) {
      server.setSecureContext(contextOf(authorities));
    },
    pinged: () => pinging.size,
    close() {
      for (const session of sessions) session.destroy();
      server.close();
    },
  };
}

const GRPC = { ':status': 200, 'content-type': 'application/grpc' };

function contextOf(authorities: readonly string[] = []) {
  const pem = readFileSync(SERVER_FILE);
  return { cert: pem, key: pem, ca: authorities.map((file) => readFileSync(file)) };
}

function refusalOf(headers: IncomingHttpHeaders, { apiKey, denied }: Admission) {
  if (apiKey !== undefined && headers.authorization !== `Bearer ${apiKey}`) return UNAUTHENTICATED;
  const isDenied = denied !== undefined && headers[':path']?.includes(denied);
  return isDenied === true ? PERMISSION_DENIED : undefined;
}

/** gRPC over HTTP/2: headers, data in both directions, trailers. */
function forward(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  behind: ClientHttp2Session,
): void {
  const call = behind.request({ ...headers, ':scheme': 'http' });
  let trailers: OutgoingHttpHeaders = {};
  stream.on('error', () => undefined);
  call.on('error', () => {
    stream.close(constants.NGHTTP2_CANCEL);
  });
  stream.on('close', () => {
    call.close(constants.NGHTTP2_CANCEL);
  });
  call.on('trailers', (given: OutgoingHttpHeaders) => {
    trailers = given;
  });
  call.on('response', (given, flags) => {
    const isOver = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
    answer(stream, given, isOver);
    if (isOver) return;
    stream.on('wantTrailers', () => {
      stream.sendTrailers(trailers);
    });
    call.pipe(stream);
  });
  stream.pipe(call);
}

function answer(stream: ServerHttp2Stream, headers: OutgoingHttpHeaders, isOver: boolean): void {
  if (stream.destroyed || stream.headersSent) return;
  stream.respond(headers, isOver ? { endStream: true } : { waitForTrailers: true });
}

/** A workflow's history as Temporal stores it, past the codec of our clients. */
export async function storedHistory(namespace: string, workflowId: string): Promise<string> {
  const connection = await Connection.connect({ address: temporalAddress() });
  const { history } = await connection.workflowService.getWorkflowExecutionHistory({
    namespace,
    execution: { workflowId },
  });
  await connection.close();
  const bytes = temporal.api.history.v1.History.encode(history ?? {}).finish();
  return Buffer.from(bytes).toString('latin1');
}
