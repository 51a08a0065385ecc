// MusePay ScanPay over HTTP, as its public documents describe it, with the troubles that they do
// not exclude. It verifies signatures with its own code, so that the adapter's cannot agree with
// itself.
import { createSign, createVerify, generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from '../../../src/main/listen';
import { readBody } from '../../../src/sandbox/http-server';

const PARTNER_ID = '2000061';
const NOTIFY_URL = 'https://pay.example/callbacks/musepay';
const RATE = 31.86;
const FEE = '1';
/** No document says how far a timestamp may be off. */
const TIMESTAMP_MAX_OFF_MS = 300_000;
const BODY_MAX_BYTES = 16_384;

const CODES = {
  ...{ success: 200, badRequest: 400, signError: 406, wrongTimestampOrNonce: 412 },
  ...{ orderNotExist: 7000, doublePayment: 202_224 },
} as const;

type Status = 11 | 22 | 44 | 88 | 99;

/**
 * `request_lost`: the connection breaks before the request counts. `answer_lost`: it breaks after.
 * `silence`: the request counts, and no answer comes. `other_id`: the answer names another order.
 */
export type Trouble =
  'request_lost' | 'answer_lost' | 'silence' | 'other_id' | 'cached' | 'gateway_page' | 'cut';

/** What becomes of an order. */
export interface Plan {
  readonly status?: Status;
  /** The order is answered with this code, and not made. */
  readonly refusal?: number;
  readonly submit?: Trouble;
  readonly query?: Trouble;
  /** Queries do not know the order for this long after it arrived. */
  readonly knownAfterMs?: number;
}

export interface SimulatorOptions {
  readonly nowMs?: () => number;
  /** The same id again is paid again, instead of being answered DOUBLE_PAYMENT. */
  readonly paysRepeats?: boolean;
  /** Plans an order that no test has planned. */
  readonly planOf?: (requestId: string) => Plan;
}

interface Order {
  readonly orderNo: string;
  readonly amount: string;
  readonly knownFromMs: number;
  status: Status;
  /** How often the payee got the money. */
  executions: number;
}

type Members = Readonly<Record<string, unknown>>;
interface Reply {
  readonly code: number;
  readonly data?: Members;
}

const ours = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const provider = generateKeyPairSync('rsa', { modulusLength: 2_048 });

/** The setting of the adapter, with changes. */
export function credentialsText(change: Members = {}): string {
  return JSON.stringify({
    partner_id: PARTNER_ID,
    private_key: ours.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    provider_public_key: provider.publicKey.export({ type: 'spki', format: 'pem' }),
    notify_url: NOTIFY_URL,
    ...change,
  });
}

/** A callback that MusePay has signed, with these members. */
export function signedCallback(members: Members): Buffer {
  const sign = createSign('RSA-SHA1').update(textToSign(members));
  const signature = sign.sign(provider.privateKey).toString('base64');
  return Buffer.from(JSON.stringify({ ...members, sign: signature }));
}

function textToSign(members: Members): string {
  const names = Object.keys(members).filter((name) => name !== 'sign');
  return names
    .filter((name) => ![null, undefined, ''].includes(members[name] as string))
    .sort()
    .map((name) => `${name}=${String(members[name])}`)
    .join('&');
}

export type MusePaySimulator = Awaited<ReturnType<typeof openMusePay>>;

/** Listens on 127.0.0.1. Close it when done. */
export async function openMusePay(options: SimulatorOptions = {}) {
  const book = createBook(options);
  const silent = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    answer(request, response, book, silent).catch(() => response.destroy());
  });
  const port = await listen(server, 0, '127.0.0.1');
  return {
    baseUrl: `http://127.0.0.1:${String(port)}`,
    token: credentialsText(),
    /** The members of each request, by path, in order of arrival. */
    requests: book.requests,
    /** Plans an order before it is sent. Without a plan it is paid. */
    plan: (requestId: string, plan: Plan) => book.plans.set(requestId, plan),
    /** How often the payee of this order got the money. */
    executionsOf: (requestId: string) => book.orders.get(requestId)?.executions ?? 0,
    /** The payments that were executed, each with its baht. */
    executed: () =>
      [...book.orders].flatMap(([requestId, { amount, executions }]) =>
        Array.from({ length: executions }, () => ({ requestId, amount })),
      ),
    /** Answers a request that another server has received. */
    serve: (...received: [IncomingMessage, ServerResponse]) => server.emit('request', ...received),
    changeStatus: book.changeStatus,
    callbackOf: (requestId: string) => signedCallback(book.callbackMembers(requestId)),
    async close() {
      for (const response of silent) response.destroy();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

type Book = ReturnType<typeof createBook>;

/** The orders, and what a request does to them. */
function createBook({
  nowMs = Date.now,
  paysRepeats = false,
  planOf = () => ({}),
}: SimulatorOptions) {
  const plans = new Map<string, Plan>();
  const planned = (requestId: string) => plans.get(requestId) ?? planOf(requestId);
  const state = { orders: new Map<string, Order>(), planned };
  const nonces = new Set<string>();
  const requests: { readonly path: string; readonly members: Members }[] = [];
  const orderOf = (requestId: string): Order => {
    const order = state.orders.get(requestId);
    if (order === undefined) throw new Error(`no order ${requestId}`);
    return order;
  };
  const handlers: Readonly<Record<string, { needs: readonly string[]; handle: Handle }>> = {
    '/v1/scanPay/submit': {
      needs: ['request_id', 'user_xid', 'qrcode', 'amount', 'notify_url'],
      handle: (members) => submitted(state, members, nowMs(), paysRepeats),
    },
    '/v1/order/query': {
      needs: ['request_id'],
      handle: (members) => queried(state, members, nowMs()),
    },
    '/v1/scanPay/info': { needs: ['qrcode'], handle: infoOf },
  };
  return {
    ...{ ...state, plans, requests },
    changeStatus(requestId: string, status: Status): void {
      const order = orderOf(requestId);
      if (status === 99 && order.status !== 99) order.executions += 1;
      order.status = status;
    },
    callbackMembers: (requestId: string): Members => ({
      ...membersOf(requestId, orderOf(requestId)),
      extra_info: '{"exchangeRate":"31.86"}',
    }),
    /** Undefined for a path that does not exist. */
    receive(path: string, members: Members): Reply | undefined {
      const handler = handlers[path];
      if (handler === undefined) return undefined;
      requests.push({ path, members });
      const fault = faultOf(members, nowMs(), nonces);
      if (fault !== undefined) return { code: fault };
      const isComplete = handler.needs.every((name) => typeof members[name] === 'string');
      return isComplete ? handler.handle(members) : { code: CODES.badRequest };
    },
  };
}

type Handle = (members: Members) => Reply;
interface Orders {
  readonly orders: Map<string, Order>;
  readonly planned: (requestId: string) => Plan;
}

function submitted(
  { orders, planned }: Orders,
  members: Members,
  nowMs: number,
  paysRepeats: boolean,
): Reply {
  const id = String(members['request_id']);
  const plan = planned(id);
  const known = orders.get(id);
  if (known !== undefined && !paysRepeats) return { code: CODES.doublePayment };
  if (plan.refusal !== undefined) return { code: plan.refusal };
  const orderNo = `MP${String(orders.size + 1).padStart(12, '0')}`;
  const order = known ?? newOrder(orderNo, String(members['amount']), plan, nowMs);
  if (order.status === 99) order.executions += 1;
  orders.set(id, order);
  return { code: CODES.success, data: { orderNo: order.orderNo, status: 22 } };
}

function newOrder(orderNo: string, amount: string, plan: Plan, nowMs: number): Order {
  const { status = 99, knownAfterMs = 0 } = plan;
  return { orderNo, amount, status, knownFromMs: nowMs + knownAfterMs, executions: 0 };
}

function queried({ orders }: Orders, members: Members, nowMs: number): Reply {
  const id = String(members['request_id']);
  const order = orders.get(id);
  if (order === undefined || order.knownFromMs > nowMs) return { code: CODES.orderNotExist };
  return { code: CODES.success, data: { ...membersOf(id, order), order_type: 'proxy_pay' } };
}

function membersOf(requestId: string, { orderNo, amount, status }: Order): Members {
  return {
    ...{ partner_id: PARTNER_ID, request_id: requestId, order_no: orderNo, currency: 'USDT' },
    ...{ order_amount: usdtFor(amount), arrive_amount: usdtFor(amount), fee_amount: FEE },
    ...{ finish_time: '1664519433', status, reason: '' },
  };
}

/** USDT with ten decimals, as in the documents: 32 baht are 1.0043942247. */
const usdtFor = (baht: string) => (Number(baht) / RATE).toFixed(10);

function infoOf({ amount }: Members): Reply {
  const baht = typeof amount === 'string' ? amount : null;
  return {
    code: CODES.success,
    data: {
      ...{ qrcode_type: 'prompt_pay', amount: baht, currency: 'THB' },
      ...{ order_amount: baht && usdtFor(baht), order_currency: 'USDT' },
      ...{ fee_amount: FEE, fee_currency: 'USDT', exchange_rate: String(RATE) },
      ...{ beneficiary_name: null, account_type: null, bank_code: null, bank_name: null },
    },
  };
}

/** The code of an error in what every request has, if there is one. */
function faultOf(members: Members, nowMs: number, nonces: Set<string>): number | undefined {
  const { partner_id: partnerId, sign_type: signType, timestamp, nonce, sign } = members;
  const verify = createVerify('RSA-SHA1').update(textToSign(members));
  const isSigned = verify.verify(ours.publicKey, String(sign), 'base64');
  if (!isSigned || partnerId !== PARTNER_ID || signType !== 'RSA') return CODES.signError;
  const isPresent = Math.abs(Number(timestamp) - nowMs) <= TIMESTAMP_MAX_OFF_MS;
  if (!isPresent || typeof nonce !== 'string' || nonces.has(nonce)) {
    return CODES.wrongTimestampOrNonce;
  }
  nonces.add(nonce);
  return undefined;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  book: Book,
  silent: Set<ServerResponse>,
): Promise<void> {
  const path = request.url ?? '';
  const members = JSON.parse((await readBody(request, BODY_MAX_BYTES)).toString()) as Members;
  const trouble = troubleOf(path, book.planned(String(members['request_id'])));
  const reply = trouble === 'request_lost' ? undefined : book.receive(path, members);
  if (trouble === 'request_lost' || trouble === 'answer_lost') request.socket.resetAndDestroy();
  else if (trouble === 'silence') silent.add(response);
  else if (reply === undefined) send(response, 404, '<html>Not Found</html>', 'text/html');
  else sendReply(response, reply, trouble);
}

function troubleOf(path: string, plan: Plan): Trouble | undefined {
  return path === '/v1/scanPay/submit' ? plan.submit : plan.query;
}

type Answered = Exclude<Trouble, 'request_lost' | 'answer_lost' | 'silence'>;

function sendReply(response: ServerResponse, reply: Reply, trouble: Answered | undefined): void {
  const text = JSON.stringify(trouble === 'other_id' ? aboutAnother(reply) : reply);
  if (trouble === 'cached') response.setHeader('age', '7');
  if (trouble === 'gateway_page') send(response, 502, '<html>Bad Gateway</html>', 'text/html');
  else send(response, 200, trouble === 'cut' ? text.slice(0, -2) : text, 'application/json');
}

function aboutAnother(reply: Reply): Reply {
  return { ...reply, data: { ...reply.data, request_id: '0'.repeat(26) } };
}

function send(response: ServerResponse, status: number, text: string, type: string): void {
  response.writeHead(status, { 'content-type': `${type};charset=UTF-8` }).end(text);
}
