// TransFi's QR payouts as its public documents describe them, over HTTP. What they leave open, such
// as the envelope of an answer, is as src/providers/transfi expects it.
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { listen } from '../../../src/main/listen';

export const CREDENTIALS = {
  ...{ username: 'merchant', password: 'a: pass word', mid: 'MID-1' },
  webhook_secret: 'a webhook secret',
};

/** How the simulator treats an order, decided by its key. */
export interface Behaviour {
  /**
   * `lost`: executed, and the connection is cut. `silent`: executed, and never answered. `dropped`:
   * not executed, and the connection is cut. `page`: a gateway's page, and not executed.
   */
  readonly answer: 'given' | 'lost' | 'silent' | 'dropped' | 'page';
  /** The order is rejected with 400 and this code. */
  readonly refusal: string | null;
  /** The answer to a key that was used before. */
  readonly repeat: 'code' | 'details' | 'old order';
  /** The first one answers the order. Each query moves to the next, and the last one remains. */
  readonly statuses: readonly string[];
  /** Members of an order that are replaced in answers to queries. */
  readonly change: Readonly<Record<string, unknown>>;
  /** Further headers of answers to queries, such as those of a cache. */
  readonly headers: Readonly<Record<string, string>>;
}

const PAID: Behaviour = {
  ...({ answer: 'given', refusal: null, repeat: 'code' } as const),
  ...{ statuses: ['initiated', 'fund_settled'], change: {}, headers: {} },
};

interface SimulatedOrder {
  readonly orderId: string;
  readonly partnerId: string | undefined;
  readonly amount: string;
  readonly behaviour: Behaviour;
  queries: number;
}

interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

export interface TransFiSimulator {
  readonly baseUrl: string;
  /** The credentials that it requires. */
  readonly token: string;
  /** All requests with the right credentials, in order. */
  readonly requests: readonly SeenRequest[];
  /** How often the payee was paid, or will be, for orders with the key. */
  executionsOf(key: string): number;
  /** The payments that are or will be executed, each with its dong. */
  executed(): readonly { readonly key: string; readonly amount: string }[];
  /** Answers a request that another server has received. */
  serve(request: IncomingMessage, response: ServerResponse): void;
  /** The id of the newest order with the key. */
  referenceOf(key: string): string | undefined;
  /** A signed callback about that order. */
  callbackOf(key: string): { readonly headers: Record<string, string>; readonly body: Buffer };
  close(): Promise<void>;
}

/** @param behaviourOf the changes to {@link PAID} for an order with the key */
export async function openTransFiSimulator(
  behaviourOf: (key: string) => Partial<Behaviour> = () => ({}),
): Promise<TransFiSimulator> {
  const [orders, requests] = [[] as SimulatedOrder[], [] as SeenRequest[]];
  const reply = (request: IncomingMessage, seen: SeenRequest): Reply => {
    if (!isAuthorized(request)) return { status: 401, body: { code: 'UNAUTHORIZED' } };
    requests.push(seen);
    return replyTo(seen, orders, behaviourOf);
  };
  const server = createServer((request, response) => {
    receive(request).then(
      (seen) => send(reply(request, seen), response),
      () => response.destroy(),
    );
  });
  const port = await listen(server, 0, '127.0.0.1');
  const newest = (key: string) => orders.findLast(({ partnerId }) => partnerId === key);
  return {
    baseUrl: `http://127.0.0.1:${String(port)}`,
    ...{ token: JSON.stringify(CREDENTIALS), requests },
    executionsOf: (key) =>
      orders.filter((order) => order.partnerId === key && isPaid(order)).length,
    executed: () =>
      orders
        .filter(isPaid)
        .map(({ partnerId = 'without a key', amount }) => ({ key: partnerId, amount })),
    serve: (request, response) => server.emit('request', request, response),
    referenceOf: (key) => newest(key)?.orderId,
    callbackOf: (key) => callbackAbout(newest(key)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** `cut`: the connection is closed. `none`: there is no answer. */
type Reply =
  | { readonly status: number; readonly body: object; readonly headers?: Behaviour['headers'] }
  | 'cut'
  | 'none'
  | 'page';

function send(reply: Reply, response: ServerResponse): void {
  if (reply === 'none') return;
  if (reply === 'cut') response.destroy();
  else if (reply === 'page') {
    response.writeHead(502, { 'content-type': 'text/html' }).end('<html>Bad Gateway</html>');
  } else {
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
    response.end(JSON.stringify(reply.body));
  }
}

async function receive(request: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const { method = '', url = '' } = request;
  return { method, path: url, body: Buffer.concat(chunks).toString() };
}

function isAuthorized({ headers }: IncomingMessage): boolean {
  const { username, password, mid } = CREDENTIALS;
  const basic = Buffer.from(`${username}:${password}`).toString('base64');
  return headers.authorization === `Basic ${basic}` && headers['mid'] === mid;
}

function replyTo(
  { method, path, body }: SeenRequest,
  orders: SimulatedOrder[],
  behaviourOf: (key: string) => Partial<Behaviour>,
): Reply {
  const call = `${method} ${path.replace(/\?.*$/, '')}`;
  if (call === 'POST /v3/orders') return takeOrder(orders, behaviourOf, JSON.parse(body));
  if (call === 'POST /v3/qr-code/details') return { status: 200, body: PAYEE };
  if (call === 'GET /v3/exchange-rates') return { status: 200, body: ratesFor(path) };
  const order = orders.find(({ orderId }) => call === `GET /v3/orders/${orderId}`);
  if (order === undefined) return { status: 404, body: { code: 'NOT_FOUND' } };
  order.queries += 1;
  const { change, headers } = order.behaviour;
  return { status: 200, body: { ...viewOf(order), ...change }, headers };
}

const orderSchema = z.object({
  orderType: z.literal('payout'),
  partnerId: z.string().optional(),
  destination: z.object({
    currency: z.literal('VND'),
    amount: z.coerce.string().regex(/^\d+$/),
    qrCode: z.string().min(1),
  }),
});

/** The key is compared and recorded in one step: of two equal requests one makes an order. */
function takeOrder(
  orders: SimulatedOrder[],
  behaviourOf: (key: string) => Partial<Behaviour>,
  body: unknown,
): Reply {
  const { data } = orderSchema.safeParse(body);
  if (data === undefined) return { status: 400, body: { code: 'VALIDATION_ERROR' } };
  const { partnerId, destination } = data;
  const behaviour = { ...PAID, ...behaviourOf(partnerId ?? '') };
  const untaken = UNTAKEN[behaviour.answer];
  if (untaken !== undefined) return untaken;
  // Without a partnerId nothing protects from a second order.
  const old = orders.find((one) => partnerId !== undefined && one.partnerId === partnerId);
  if (old !== undefined) return replyToRepeat(old, behaviour.repeat);
  if (behaviour.refusal !== null) return { status: 400, body: { code: behaviour.refusal } };
  const orderId = `OR-${String(20_250_115_000_001 + orders.length)}`;
  const order = { orderId, partnerId, amount: destination.amount, behaviour, queries: 0 };
  orders.push(order);
  const given = { status: 200, body: { orderId, status: viewOf(order).status } };
  return UNANSWERED[behaviour.answer] ?? given;
}

type Replies = Readonly<Partial<Record<Behaviour['answer'], Reply>>>;
const UNTAKEN: Replies = { dropped: 'cut', page: 'page' };
const UNANSWERED: Replies = { lost: 'cut', silent: 'none' };

function replyToRepeat(old: SimulatedOrder, repeat: Behaviour['repeat']): Reply {
  if (repeat === 'old order') return { status: 200, body: viewOf(old) };
  const used = { code: 'PARTNER_ID_ALREADY_USED', message: 'partnerId is already used.' };
  const isInside = repeat === 'details';
  return { status: 400, body: isInside ? { code: 'BAD_REQUEST', details: [used] } : used };
}

const VND_PER_USD = 25_400;
const FEE = '0.350000';

/** In USD with six decimals, rounded up. */
function sourceOf(dong: string): string {
  const micros = (BigInt(dong) * 1_000_000n + BigInt(VND_PER_USD) - 1n) / BigInt(VND_PER_USD);
  const digits = String(micros).padStart(7, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

/** An order as an answer to a query shows it. */
function viewOf({ orderId, partnerId, amount, queries, behaviour }: SimulatedOrder) {
  return {
    ...{ orderId, partnerId },
    status: behaviour.statuses[Math.min(queries, behaviour.statuses.length - 1)],
    source: { amount: sourceOf(amount), currency: 'USD' },
    destination: { amount: Number(amount), currency: 'VND' },
    ...{ fees: { processingFee: FEE }, bankTxnId: [`FT${orderId.slice(3)}`] },
  };
}

const isPaid = ({ behaviour }: SimulatedOrder) => behaviour.statuses.at(-1) === 'fund_settled';

export const PAYEE = { accountName: 'NGUYEN VAN A', bankName: 'Vietcombank' };

function ratesFor(path: string) {
  const query = new URLSearchParams(path.replace(/^[^?]*\??/, ''));
  const given = query.get('sourceAmount');
  const dong = query.get('destinationAmount') ?? String(Number(given) * VND_PER_USD);
  return {
    source: { amount: given ?? sourceOf(dong), currency: 'USD' },
    destination: { amount: dong, currency: 'VND' },
    fees: { processingFee: FEE },
  };
}

function callbackAbout(order: SimulatedOrder | undefined) {
  if (order === undefined) throw new Error('there is no such order');
  const view = viewOf(order);
  const about = { entityType: 'order', entityId: order.orderId, status: view.status, order: view };
  const body = Buffer.from(JSON.stringify(about));
  const hash = createHmac('sha256', CREDENTIALS.webhook_secret).update(body).digest('hex');
  return { headers: { 'x-transfi-hmac-hash': hash }, body };
}
