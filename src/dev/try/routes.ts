// What `npm run sandbox:try` answers: method and path to a page, a picture, or a step of a payment.
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { toBuffer } from 'qrcode';
import { parseCorridor } from '../../domain/corridor';
import { SAMPLE_CODES } from '../../sandbox/sample-codes';
import type { Sandbox } from '../sandbox-file';
import { problemPage, startPage } from './pages';
import { noSandbox, nothingHere, problemOf } from './problem';
import {
  cancel,
  confirm,
  createPayment,
  partnerOf,
  watchOnPage,
  type Call,
  type Named,
} from './steps';

export interface TryDeps {
  /** The running sandbox, read anew for each request; undefined while none is up. */
  readonly readSandbox: () => Sandbox | undefined;
}

interface Route {
  /** Method and path; its groups are what the handler gets. */
  readonly pattern: RegExp;
  readonly handle: (call: Call, groups: readonly string[], deps: TryDeps) => Promise<void> | void;
}

const STYLE = readFileSync(join(__dirname, 'style.css'));
/** Only the path is looked at: who may ask was judged before. */
const BASE = 'http://127.0.0.1';
const PAYMENT = '/payments/([a-z0-9-]{1,63})/(pi_[0-9a-z]{26})';

const ROUTES: readonly Route[] = [
  {
    pattern: /^GET \/style\.css$/,
    handle: ({ response }) => {
      send(response, { status: 200, type: 'text/css', body: STYLE });
    },
  },
  { pattern: /^GET \/codes\/(th_qrpay|vn_qrpay)\.png$/, handle: sendCode },
  {
    pattern: /^GET \/$/,
    handle: ({ response }, _, deps) => {
      sendPage(response, 200, startPage(sandboxOf(deps)).html);
    },
  },
  {
    pattern: /^POST \/payments$/,
    handle: (call, _, deps) => createPayment(call, sandboxOf(deps)),
  },
  {
    pattern: new RegExp(`^GET ${PAYMENT}$`),
    handle: (call, groups, deps) => watchOnPage(call, named(groups, deps)),
  },
  {
    pattern: new RegExp(`^POST ${PAYMENT}/confirm$`),
    handle: (call, groups, deps) => confirm(call, named(groups, deps)),
  },
  {
    pattern: new RegExp(`^POST ${PAYMENT}/cancel$`),
    handle: (call, groups, deps) => cancel(call, named(groups, deps)),
  },
];

/** Answers whatever comes; a failure is a page too. */
export async function answerRequest(
  request: IncomingMessage,
  response: ServerResponse,
  deps: TryDeps,
): Promise<void> {
  try {
    const target = request.url ?? '/';
    if (!URL.canParse(target, BASE)) throw nothingHere();
    const url = new URL(target, BASE);
    await route({ request, response, url }, deps);
  } catch (error) {
    sendProblem(response, error);
  }
}

async function route(call: Call, deps: TryDeps): Promise<void> {
  const asked = `${call.request.method ?? ''} ${call.url.pathname}`;
  for (const { pattern, handle } of ROUTES) {
    const found = pattern.exec(asked);
    if (found !== null) return handle(call, found.slice(1), deps);
  }
  throw nothingHere();
}

function sandboxOf({ readSandbox }: TryDeps): Sandbox {
  const sandbox = readSandbox();
  if (sandbox === undefined) throw noSandbox();
  return sandbox;
}

function named([partnerId = '', intentId = '']: readonly string[], deps: TryDeps): Named {
  const sandbox = sandboxOf(deps);
  return { sandbox, partner: partnerOf(sandbox, partnerId), intentId };
}

async function sendCode({ response }: Call, [corridor = '']: readonly string[]): Promise<void> {
  const code = SAMPLE_CODES[parseCorridor(corridor)];
  const body = await toBuffer(code, { margin: 4, scale: 8 });
  send(response, { status: 200, type: 'image/png', body });
}

function sendProblem(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    // In the middle of a page: what was written stays, and the browser sees that it is not whole.
    response.destroy();
    return;
  }
  const { status, sentences } = problemOf(error);
  const [title = '', ...rest] = sentences;
  // What was not read of this request would be taken for the next one.
  if (!response.req.complete) response.setHeader('connection', 'close');
  sendPage(response, status, problemPage(title, rest).html);
}

function sendPage(response: ServerResponse, status: number, body: string): void {
  send(response, { status, type: 'text/html; charset=utf-8', body });
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
}

function send(response: ServerResponse, { status, type, body }: Answer): void {
  response.writeHead(status, { 'content-type': type }).end(body);
}
