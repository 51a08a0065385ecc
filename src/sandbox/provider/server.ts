// The HTTP server of the sandbox payout provider (architecture, section 6). It speaks the whole
// protocol of docs/provider-protocol.md, and shows its journal at `GET /journal` and its statement
// at `GET /statement`. payout-book.ts and quotes.ts decide the replies; this file sends them, or
// leaves a request unanswered.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FailureCode } from '../../domain/payouts/permissions';
import { isEqualInConstantTime } from '../../signing/hmac';
import {
  answerJson,
  answerJsonArray,
  createSandboxServer,
  HttpRejection,
  pathOf,
  type SandboxServer,
} from '../http-server';
import { announce, type CallbackDeps } from './callbacks';
import { referenceOf } from './local-amounts';
import { PayoutBook, type PayoutBookDeps, type PayoutReply } from './payout-book';
import { createQuotes, type QuoteRequest, type Quotes } from './quotes';
import { readPayout, readQuoteRequest } from './requests';
import { answerStatement } from './statement';
import { createUnansweredRequests, type UnansweredRequests } from './unanswered';

const NOTHING_HERE = 'There is nothing here.';

/** `token`: the bearer credential of the engine. Journal and statement need none. */
type ProviderDeps = PayoutBookDeps & CallbackDeps;

/**
 * Opens the journal and creates the server. `close` leaves the files ready for the next process.
 */
export async function createProviderServer(deps: ProviderDeps): Promise<SandboxServer> {
  const book = await PayoutBook.open(deps);
  const unanswered = createUnansweredRequests(deps.schedule);
  const context = { ...deps, book, unanswered, quotes: createQuotes(deps.clock) };
  const server = createSandboxServer((request, response) => {
    return route(request, response, context);
  }, deps);
  return {
    listen: (port, host) => server.listen(port, host),
    close: async () => {
      unanswered.end();
      await server.close();
      await book.close();
    },
  };
}

interface Context extends CallbackDeps {
  readonly book: PayoutBook;
  readonly quotes: Quotes;
  readonly unanswered: UnansweredRequests;
  readonly clock: PayoutBookDeps['clock'];
}

async function route(
  request: IncomingMessage,
  response: ServerResponse,
  context: Context,
): Promise<void> {
  const { book } = context;
  const call = `${request.method ?? ''} ${pathOf(request)}`;
  if (call === 'GET /journal') return answerJsonArray(response, book.journal());
  if (call === 'GET /statement')
    return answerStatement(request, response, book.journal(), context.clock.now());
  checkCredential(request, context.token);
  return answerEngine(call, { request, response, ...context });
}

interface EngineCall extends Context {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

async function answerEngine(call: string, context: EngineCall): Promise<void> {
  const { request, response, book, quotes, unanswered } = context;
  switch (call) {
    case 'POST /payouts': {
      const order = await readPayout(request);
      sendReply(await book.receive(order, quotes), response, unanswered);
      announce(order, context);
      return;
    }
    case 'POST /quotes':
      answerQuote(quotes, await readQuoteRequest(request), response);
      return;
    case 'GET /balance':
      answerJson(response, 200, balanceOf(book));
      return;
    default:
      sendReply(await book.find(keyIn(call)), response, unanswered);
  }
}

function balanceOf(book: PayoutBook) {
  const cents = book.availableUsdCents();
  const available = `${String(Math.floor(cents / 100))}.${String(cents % 100).padStart(2, '0')}`;
  return { currency: 'USD', available, environment: 'sandbox' };
}

function answerQuote(quotes: Quotes, request: QuoteRequest, response: ServerResponse): void {
  const quote = quotes.quote(request);
  if ('refused' in quote) answerJson(response, 422, refusalOf(quote.refused));
  else answerJson(response, 200, quote);
}

function checkCredential(request: IncomingMessage, token: string): void {
  if (isEqualInConstantTime(request.headers.authorization ?? '', `Bearer ${token}`)) return;
  throw new HttpRejection(401, 'The bearer credential is missing or wrong.');
}

const QUERY = /^GET \/payouts\/(.+)$/;

function keyIn(call: string): string {
  const [, encoded] = QUERY.exec(call) ?? [];
  if (encoded === undefined) throw new HttpRejection(404, NOTHING_HERE);
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw new HttpRejection(404, NOTHING_HERE);
  }
}

function sendReply(
  reply: PayoutReply,
  response: ServerResponse,
  unanswered: UnansweredRequests,
): void {
  if (isRejection(reply)) throw rejectionOf(reply.kind);
  switch (reply.kind) {
    case 'answer': {
      const { key, status, amountUsdCents, local } = reply;
      const facts = { amount_usd_cents: amountUsdCents, reference: referenceOf(key), local };
      answerJson(response, 200, { key, status, ...facts });
      return;
    }
    case 'unknown_key':
      answerJson(response, 404, { error: 'not_found', key: reply.key });
      return;
    case 'refused':
      answerJson(response, 422, { ...refusalOf(reply.code), key: reply.key });
      return;
    case 'no_answer':
      unanswered.hold(response);
      return;
    case 'connection_reset':
      response.req.socket.resetAndDestroy();
      return;
  }
}

type Rejected = Extract<PayoutReply, { readonly kind: keyof typeof REJECTIONS }>;
const isRejection = (reply: PayoutReply): reply is Rejected => reply.kind in REJECTIONS;

function rejectionOf(kind: keyof typeof REJECTIONS): HttpRejection {
  const [status, sentence] = REJECTIONS[kind];
  return new HttpRejection(status, sentence);
}

/** This request made no order. */
function refusalOf(code: FailureCode) {
  return { error: code, message: MESSAGES[code] ?? 'Refused.' };
}

const MESSAGES: Readonly<Partial<Record<FailureCode, string>>> = {
  insufficient_balance: 'Refused for too little balance, as this amount requests.',
  payee_unknown: 'The scanned code names no payee of this corridor.',
  rate_expired: 'The quote is unknown, has expired, or is of another order. Quote again.',
  amount_differs: 'The local amount differs from the one of the code or of the quote.',
};

const REJECTIONS = {
  error_500: [500, 'The provider failed, as this amount requests.'],
  other_order: [409, 'This key belongs to another order.'],
  full: [503, 'The sandbox holds a million payouts: empty its folder.'],
} as const;
