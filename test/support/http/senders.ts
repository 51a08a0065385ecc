// Sends requests of tests to the API: unsigned, signed or as raw bytes. Every answer is checked
// against the contract.
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { assertRawContract, assertContract } from '../contract/contract';
import { sign, type TestPartner } from '../payments/partner';
import { sendRaw, type RawReply } from './raw-http';

const INTENTS = '/v1/payment_intents';
const JSON_HEADER = { 'Content-Type': 'application/json' };

/** A valid body of a create. */
export const GOOD_CREATE = {
  partner_user_id: 'user-4711',
  amount_usd_cents: 1_250,
  corridor: 'th_qrpay',
};

interface Named {
  readonly intentId: string;
}

export interface Senders {
  send(outgoing: Outgoing): Promise<Reply>;
  /** Sends a request signed by the partner. */
  sendSigned(partner: TestPartner, outgoing: Outgoing): Promise<Reply>;
  /** Sends a create signed by the partner; an object is sent as JSON. */
  create(partner: TestPartner, body?: unknown, headers?: Outgoing['headers']): Promise<Reply>;
  /** Reads an intent with a session token. */
  get(intent: Named, token: string): Promise<Reply>;
  /** Confirms an intent. @param more the scanned code, or other parts of the request */
  confirm(intent: Named, token: string, more?: string | Partial<Outgoing>): Promise<Reply>;
  /** Sends raw bytes, and returns all answers until the server closes the connection. */
  sendRaw(...parts: readonly (string | Buffer)[]): Promise<RawReply[]>;
}

export interface Outgoing {
  readonly method?: string;
  readonly path: string;
  /** A list sends the header once for each value. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly text: string;
}

interface ApiAddress {
  readonly url: string;
  readonly port: number;
  readonly envelope: 'flat' | 'nested';
}

/** The path of an intent or of an action on it. */
export function pathOf({ intentId }: Named, action?: 'confirm' | 'cancel'): string {
  return [INTENTS, intentId, action].filter((part) => part !== undefined).join('/');
}

export function bearer(token: string) {
  return { Authorization: `Bearer ${token}` };
}

/** Header and body of a confirm with a scanned code. */
export function scanned(code: string) {
  return { headers: JSON_HEADER, body: JSON.stringify({ qr_payload: code }) };
}

export function createSenders({ url, port, envelope }: ApiAddress): Senders {
  const send = async (outgoing: Outgoing): Promise<Reply> => {
    const reply = await sendHttp(url, outgoing);
    const { method = 'GET', path } = outgoing;
    const headers = pairsOf(reply.rawHeaders);
    assertContract({ method, path, headers, envelope, status: reply.status, text: reply.text });
    return reply;
  };
  const sendSigned = (partner: TestPartner, outgoing: Outgoing) =>
    send({ ...outgoing, headers: { ...signed(partner, outgoing), ...outgoing.headers } });
  return {
    send,
    sendSigned,
    create: (partner, body = GOOD_CREATE, headers = {}) =>
      sendSigned(partner, {
        method: 'POST',
        path: INTENTS,
        headers: { ...JSON_HEADER, ...headers },
        body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
      }),
    get: (intent, token) => send({ path: pathOf(intent), headers: bearer(token) }),
    confirm(intent, token, more = {}) {
      const { headers, ...rest } = typeof more === 'string' ? scanned(more) : more;
      const path = pathOf(intent, 'confirm');
      return send({ method: 'POST', path, ...rest, headers: { ...bearer(token), ...headers } });
    },
    async sendRaw(...parts) {
      const replies = await sendRaw(port, ...parts);
      assertRawContract(parts, replies, envelope);
      return replies;
    },
  };
}

function pairsOf(rawHeaders: readonly string[]): readonly (readonly [string, string])[] {
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as const] : [],
  );
}

function signed(partner: TestPartner, { method = 'GET', path, body }: Outgoing) {
  const signedPath = path.split('?', 1)[0] ?? '';
  return sign(partner, { method, path: signedPath, ...(body !== undefined && { body }) });
}

function sendHttp(url: string, { method = 'GET', path, headers, body }: Outgoing): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const lists = Object.entries(headers ?? {}).map(
      ([name, value]) => [name, typeof value === 'string' ? value : [...value]] as const,
    );
    const isChunked = headers !== undefined && 'Transfer-Encoding' in headers;
    const length =
      body === undefined || isChunked ? {} : { 'Content-Length': Buffer.byteLength(body) };
    const outgoing = httpRequest(url, {
      method,
      path,
      headers: { ...length, ...Object.fromEntries(lists) },
    });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('error', reject);
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const { statusCode: status = 0, headers: received, rawHeaders } = incoming;
        resolve({ status, headers: received, rawHeaders, text });
      });
    });
    outgoing.end(body);
  });
}
