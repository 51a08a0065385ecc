// The HTTP server of the sandbox payout provider (architecture, section 6): `POST /payouts`, `GET
// /payouts/{key}`, `GET /journal` and `GET /statement`. payout-book.ts decides the replies; this
// file sends them, or leaves a request unanswered.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isCorridor } from '../corridors/names';
import { isUsdCents } from '../domain/money';
import { isEqualInConstantTime } from '../signing/hmac';
import {
  answerJson,
  answerJsonArray,
  createSandboxServer,
  HttpRejection,
  pathOf,
  readBody,
  type SandboxServer,
} from './http-server';
import { membersOf, parseJson } from './json-members';
import {
  PayoutBook,
  type PayoutBookDeps,
  type PayoutReply,
  type PayoutRequest,
} from './payout-book';
import { localFor, referenceOf } from './local-amounts';
import type { Schedule } from './schedule';
import { answerStatement } from './statement';

const BODY_MAX_BYTES = 16_384;
const NOTHING_HERE = 'There is nothing here.';
const KEY = /^[\x21-\x7e]{1,256}$/;

interface ProviderDeps extends PayoutBookDeps {
  /** The bearer credential that `/payouts` requires. */
  readonly token: string;
}

/**
 * Opens the journal and creates the server. `close` leaves the files ready for the next process.
 */
export async function createProviderServer(deps: ProviderDeps): Promise<SandboxServer> {
  const book = await PayoutBook.open(deps);
  const unanswered = createUnansweredRequests(deps.schedule);
  const context = { book, unanswered, token: deps.token };
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

type UnansweredRequests = ReturnType<typeof createUnansweredRequests>;

/** Longer than any caller waits; then the connection is destroyed. */
const UNANSWERED_MAX_MS = 60_000;

/**
 * Holds requests that are never answered (amounts 40002 and 40005) without leaking their
 * connections.
 */
function createUnansweredRequests(schedule: Schedule) {
  const waiting = new Set<ServerResponse>();
  let hasEnded = false;
  return {
    hold(response: ServerResponse): void {
      if (hasEnded) {
        response.destroy();
        return;
      }
      waiting.add(response);
      const cancel = schedule(UNANSWERED_MAX_MS, () => response.destroy());
      response.once('close', () => {
        cancel();
        waiting.delete(response);
      });
    },
    /** Destroys every held connection, and from then on each new one at once. */
    end(): void {
      hasEnded = true;
      for (const response of waiting) response.destroy();
    },
  };
}

interface Context {
  readonly book: PayoutBook;
  readonly unanswered: UnansweredRequests;
  readonly token: string;
}

async function route(
  request: IncomingMessage,
  response: ServerResponse,
  context: Context,
): Promise<void> {
  const path = pathOf(request);
  const call = `${request.method ?? ''} ${path}`;
  if (call === 'GET /journal') return answerJsonArray(response, context.book.journal());
  if (call === 'GET /statement') {
    return answerStatement(request, response, context.book.journal());
  }
  checkCredential(request, context.token);
  if (call === 'POST /payouts') {
    sendReply(await context.book.receive(await readPayout(request)), response, context.unanswered);
    return;
  }
  if (request.method !== 'GET' || !path.startsWith('/payouts/')) {
    throw new HttpRejection(404, NOTHING_HERE);
  }
  const key = decodedKey(path.slice('/payouts/'.length));
  sendReply(await context.book.find(key), response, context.unanswered);
}

function checkCredential(request: IncomingMessage, token: string): void {
  if (isEqualInConstantTime(request.headers.authorization ?? '', `Bearer ${token}`)) return;
  throw new HttpRejection(401, 'The bearer credential is missing or wrong.');
}

/** `qr_payload`, like any other member, is accepted and not stored. */
async function readPayout(request: IncomingMessage): Promise<PayoutRequest> {
  const key = request.headers['idempotency-key'];
  const body = await readBody(request, BODY_MAX_BYTES);
  const { amount_usd_cents: amountUsdCents, corridor } = membersOf(parseJson(body.toString()));
  if (typeof key !== 'string' || !KEY.test(key)) {
    throw new HttpRejection(400, 'Idempotency-Key must be 1 to 256 printable characters.');
  }
  if (!isUsdCents(amountUsdCents) || !isCorridor(corridor)) {
    throw new HttpRejection(400, 'The body must be JSON with amount_usd_cents and corridor.');
  }
  return { key, amountUsdCents, corridor };
}

function decodedKey(encoded: string): string {
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
      const { key, status, amountUsdCents, corridor } = reply;
      const local = localFor(corridor, amountUsdCents);
      const facts = { amount_usd_cents: amountUsdCents, reference: referenceOf(key), local };
      answerJson(response, 200, { key, status, ...facts });
      return;
    }
    case 'unknown_key':
      answerJson(response, 404, { error: 'not_found', key: reply.key });
      return;
    case 'refused':
      answerJson(response, 422, { ...REFUSAL, key: reply.key });
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
const REFUSAL = {
  error: 'insufficient_balance',
  message: 'Refused for too little balance, as this amount requests.',
};

const REJECTIONS = {
  error_500: [500, 'The provider failed, as this amount requests.'],
  other_order: [409, 'This key belongs to another amount or corridor.'],
  full: [503, 'The sandbox holds a million payouts: empty its folder.'],
} as const;
