// The server behind `npm run sandbox:try`: a page on which a person plays one payment, as the
// partner's backend and as the payer. It listens on the loopback address and stores nothing: the
// address of a page names its payment. The browser gets no secret of a partner, only a session
// token, which is meant for the payer.
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { toBuffer } from 'qrcode';
import { isCorridor } from '../../domain/corridor';
import { HttpRejection, readBody } from '../../sandbox/http-server';
import { SAMPLE_CODES } from '../../sandbox/sample-codes';
import { ApiError, checkoutUrl, ConnectionError, type Client } from '../../sdk';
import type { Sandbox, SandboxPartner } from '../demo/sandbox-file';
import { clientOf, confirmAsPayer, mintSandboxToken } from '../demo/sandbox-partner';
import { COMMANDS } from '../tools';
import type { Markup } from './markup';
import { readOrder } from './order';
import { happeningLine, paymentEnd, paymentTop, problemPage, startPage } from './pages';
import { watchPayment } from './watch';

const REQUEST_TIMEOUT_MS = 10_000;
const CONNECTIONS_MAX = 64;
const FORM_MAX_BYTES = 2_048;
const PAYER = 'sandbox-payer';

/** No script is allowed at all. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  // Not `no-referrer`: with that a form would be sent from the origin "null".
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
};

/**
 * @param readSandbox the running sandbox, read again for each request; undefined while none is up
 */
export function createTryServer(readSandbox: () => Sandbox | undefined): Server {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    if (!isOurOwn(request)) {
      response.writeHead(403, { 'content-type': 'text/plain' }).end('Not from this page.\n');
      return;
    }
    route({ request, response, readSandbox }).catch((error: unknown) => {
      answerProblem(response, error);
    });
  });
  server.maxConnections = CONNECTIONS_MAX;
  return server;
}

/**
 * Any web site can make a browser send requests to the loopback address, and its own host name may
 * resolve to that address. Neither may make payments here or read these pages.
 */
function isOurOwn({ headers, socket, method }: IncomingMessage): boolean {
  const port = String(socket.localPort ?? '');
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (!hosts.includes(headers.host ?? '')) return false;
  if (method === 'GET') return true;
  const origin = headers.origin;
  return origin === undefined || hosts.some((host) => origin === `http://${host}`);
}

interface Context {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly readSandbox: () => Sandbox | undefined;
}

const HTML = 'text/html; charset=utf-8';
const STYLE = readFileSync(join(__dirname, 'style.css'));
const PICTURE = /^GET \/codes\/(.*)\.png$/;
const PAYMENT = /^(GET|POST) \/payments\/([a-z0-9-]{1,63})\/(pi_[0-9a-z]{26})(\/.*)?$/;

async function route(context: Context): Promise<void> {
  const { request, response, readSandbox } = context;
  const [call = '', query] = `${String(request.method)} ${String(request.url)}`.split('?');
  if (call === 'GET /style.css') {
    response.writeHead(200, { 'content-type': 'text/css' }).end(STYLE);
    return;
  }
  if (call.endsWith('.png')) return sendCode(response, PICTURE.exec(call)?.[1]);
  const sandbox = readSandbox();
  if (sandbox === undefined) throw new HttpRejection(503, 'No sandbox is running.');
  if (call === 'GET /') sendPage(response, 200, startPage(sandbox));
  else if (call === 'POST /payments') await createPayment(context, sandbox);
  else await answerPayment(call, query, response, sandbox);
}

async function sendCode(response: ServerResponse, corridor: string | undefined): Promise<void> {
  if (!isCorridor(corridor)) throw nothingHere();
  const picture = await toBuffer(SAMPLE_CODES[corridor], { margin: 4, scale: 8 });
  response.writeHead(200, { 'content-type': 'image/png' }).end(picture);
}

const STEPS = new Map([
  ['GET ', watchOnPage],
  ['POST /confirm', confirm],
  ['POST /cancel', cancel],
]);

async function answerPayment(
  call: string,
  query: string | undefined,
  response: ServerResponse,
  sandbox: Sandbox,
): Promise<void> {
  const [, method, partnerId = '', intentId = '', rest = ''] = PAYMENT.exec(call) ?? [];
  const step = STEPS.get(`${String(method)} ${rest}`);
  if (step === undefined) throw nothingHere();
  const partner = partnerOf(sandbox, partnerId);
  const client = clientOf(sandbox.base_url, partner);
  const path = `/payments/${partnerId}/${intentId}`;
  await step(response, { sandbox, partner, client, intentId, path, query });
}

/** The payment that an address names. */
interface Payment {
  readonly sandbox: Sandbox;
  readonly partner: SandboxPartner;
  readonly client: Client;
  readonly intentId: string;
  readonly path: string;
  readonly query: string | undefined;
}

function partnerOf({ partners }: Sandbox, partnerId: string): SandboxPartner {
  const partner = partners.find(({ partner_id }) => partner_id === partnerId);
  if (partner === undefined) throw nothingHere();
  return partner;
}

function nothingHere(): HttpRejection {
  return new HttpRejection(404, 'There is nothing here.');
}

// Each step except watching ends with a redirect to the watching page, so that a reload repeats no
// step.

async function createPayment({ request, response }: Context, sandbox: Sandbox): Promise<void> {
  const form = new URLSearchParams((await readBody(request, FORM_MAX_BYTES)).toString('utf8'));
  const partner = partnerOf(sandbox, form.get('partner') ?? '');
  const client = clientOf(sandbox.base_url, partner);
  const { intentId } = await client.createIntent({ partnerUserId: PAYER, ...readOrder(form) });
  redirect(response, `/payments/${partner.partner_id}/${intentId}`);
}

async function confirm(response: ServerResponse, payment: Payment): Promise<void> {
  const { sandbox, partner, client, intentId } = payment;
  const intent = await client.getIntent(intentId);
  const token = await mintSandboxToken(partner, PAYER, intent);
  // Does not wait for the outcome: the next page watches the payment.
  const wait = { prefer: 'respond-async' };
  const answer = await confirmAsPayer(sandbox.base_url, intent, token, wait);
  await answer.body?.cancel();
  backToPage(response, payment, answer.status);
}

async function cancel(response: ServerResponse, payment: Payment): Promise<void> {
  const status = await payment.client.cancelIntent(payment.intentId).then(
    () => 200,
    (error: unknown) => {
      if (error instanceof ApiError) return error.status;
      throw error;
    },
  );
  backToPage(response, payment, status);
}

function backToPage(response: ServerResponse, { path }: Payment, status: number): void {
  redirect(response, status === 200 ? path : `${path}?refused=${status}`);
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { location }).end();
}

/** One answer that goes on until the payment is over, or the browser leaves. */
async function watchOnPage(response: ServerResponse, payment: Payment): Promise<void> {
  const { sandbox, partner, client, intentId, path, query = '' } = payment;
  const intent = await client.getIntent(intentId);
  const checkoutAddress = checkoutUrl({
    checkoutUrl: sandbox.checkout_url,
    intentId,
    sessionToken: await mintSandboxToken(partner, PAYER, intent),
    // Each sandbox partner has registered its own id as the scheme of its app.
    returnScheme: partner.partner_id,
  });
  const rejectedWith = /^refused=(\d{3})$/.exec(query)?.[1];
  const left = new AbortController();
  response.once('close', () => left.abort());
  response.writeHead(200, { 'content-type': HTML });
  response.write(paymentTop({ intent, path, checkoutAddress, rejectedWith }).html);
  try {
    for await (const happening of watchPayment({
      client,
      partner,
      intentId,
      signal: left.signal,
    })) {
      response.write(happeningLine(happening).html);
    }
  } catch (error) {
    // The page is half sent, so the error becomes one of its lines.
    response.write(happeningLine(problemOf(error).slice(1).join(' ')).html);
  }
  response.end(paymentEnd(intentId).html);
}

function answerProblem(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const [status, ...sentences] = problemOf(error);
  // The unread rest of this request would be parsed as the next one.
  if (!response.req.complete) response.setHeader('connection', 'close');
  sendPage(response, status, problemPage(sentences));
}

const START_IT = `Run ${COMMANDS.start} in another terminal, wait until it is ready, and reload this page.`;

/** An error as sentences for the page: what happened, why, what to do. */
function problemOf(error: unknown): readonly [status: number, ...sentences: string[]] {
  if (error instanceof ConnectionError) return [503, 'The API does not answer.', START_IT];
  if (error instanceof HttpRejection) {
    return [error.status, error.message, ...(error.status === 503 ? [START_IT] : [])];
  }
  if (!(error instanceof ApiError)) return [500, 'This page failed.', String(error)];
  const { status, code, message, requestId = 'that had no id' } = error;
  if (status === 404 || status === 403) {
    return [404, 'There is nothing here.', 'No sandbox partner has this payment.'];
  }
  const why = `The API's log has the reason under the request id ${requestId}.`;
  return [502, `The API answered ${status}.`, `The error is ${code}: ${message}`, why];
}

function sendPage(response: ServerResponse, status: number, page: Markup): void {
  response.writeHead(status, { 'content-type': HTML }).end(page.html);
}
