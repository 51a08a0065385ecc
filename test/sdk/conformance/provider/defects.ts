// Defects of providers, a few lines each. test/sdk/conformance/provider/defects.test.ts shows that
// the kit finds each.
import { isUsdCents } from '../../../../src/domain/money';
import type { Call, Defect, Forward, Reply } from './defective-provider';

const isOrder = ({ method, path }: Call) => method === 'POST' && path === '/payouts';
const isQuery = ({ method, key }: Call) => method === 'GET' && key !== '';
const members = ({ body }: Reply) => body as Readonly<Record<string, unknown>>;
const notFound = (key: string): Reply => ({ status: 404, body: { error: 'not_found', key } });

/** Changes the replies to these calls. */
const changes =
  (concerns: (call: Call) => boolean, change: (reply: Reply, call: Call) => Reply): Defect =>
  (forward) =>
  async (call) =>
    concerns(call) ? change(await forward(call), call) : forward(call);

/** Executes the order once more, under a key of its own. */
const executeAgain = (forward: Forward, call: Call) =>
  forward({ ...call, key: `${call.key.slice(0, 200)}-again` });

/** No defect: collects what is ordered, each key once. */
export const counts =
  (ordered: Map<string, number>): Defect =>
  (forward) =>
  (call) => {
    const cents = call.body['amount_usd_cents'];
    if (isOrder(call) && isUsdCents(cents) && !ordered.has(call.key)) ordered.set(call.key, cents);
    return forward(call);
  };

export const executesRepeats: Defect = (forward) => {
  const seen = new Set<string>();
  return async (call) => {
    if (isOrder(call) && seen.has(call.key)) await executeAgain(forward, call);
    if (isOrder(call)) seen.add(call.key);
    return forward(call);
  };
};

export const executesConcurrent: Defect = (forward) => {
  const underWay = new Set<string>();
  return async (call) => {
    if (!isOrder(call)) return forward(call);
    if (underWay.has(call.key)) await executeAgain(forward, call);
    underWay.add(call.key);
    return forward(call).finally(() => underWay.delete(call.key));
  };
};

export const forgets: Defect = (forward) => {
  const found = new Set<string>();
  return async (call) => {
    if (!isQuery(call)) return forward(call);
    if (found.has(call.key)) return notFound(call.key);
    found.add(call.key);
    return forward(call);
  };
};

export const deniesWhilePending = changes(isQuery, (reply, { key }) =>
  members(reply)['status'] === 'pending' ? notFound(key) : reply,
);

export const deniesEverything = changes(isQuery, (_, { key }) => notFound(key));

export const deniesByPage = changes(isQuery, (reply) =>
  reply.status === 404 ? { status: 404, body: '<h1>Not found</h1>' } : reply,
);

export const deniesPaths: Defect = (forward) => async (call) => {
  const reply = await forward(call);
  const key = decodeURIComponent(/pi_[^/]+/.exec(call.path)?.[0] ?? '');
  return reply.status === 404 ? notFound(key) : reply;
};

export const changesAmount = changes(isOrder, (reply) => {
  const cents = members(reply)['amount_usd_cents'];
  return { ...reply, body: { ...members(reply), amount_usd_cents: Number(cents) + 1 } };
});

/** Each query is answered with what the query before it was about. */
export const answersOther: Defect = (forward) => {
  let before: Reply | undefined;
  return async (call) => {
    const reply = await forward(call);
    if (!isQuery(call)) return reply;
    const answer = before ?? reply;
    before = reply;
    return answer;
  };
};

export const refusesButExecutes: Defect = (forward) => async (call) => {
  const reply = await forward(call);
  const isRefused = isOrder(call) && members(reply)['error'] === 'insufficient_balance';
  if (isRefused)
    await executeAgain(forward, { ...call, body: { ...call.body, amount_usd_cents: 1 } });
  return reply;
};

export const declinesThenPays: Defect = (forward) => {
  const queries = new Map<string, number>();
  return changes(isQuery, (reply, { key }) => {
    if (members(reply)['status'] !== 'declined') return reply;
    queries.set(key, (queries.get(key) ?? 0) + 1);
    const isLate = (queries.get(key) ?? 0) > 1;
    return isLate ? { ...reply, body: { ...members(reply), status: 'paid' } } : reply;
  })(forward);
};

export const cachesDenials: Defect = (forward) => {
  const cached = new Map<string, Reply>();
  return async (call) => {
    const reply = cached.get(call.key) ?? (await forward(call));
    if (isQuery(call) && reply.status === 404) cached.set(call.key, reply);
    return isQuery(call) ? reply : forward(call);
  };
};

export const answersFromCache = changes(isQuery, (reply) => ({ ...reply, headers: { age: '7' } }));

/** Each order of ten cents but the first is executed after a query has answered not_found. */
export const executesLate: Defect = (forward) => {
  const waiting = new Map<string, () => void>();
  const queried = new Set<string>();
  let orders = 0;
  return async (call) => {
    const isLate = isOrder(call) && call.body['amount_usd_cents'] === 10 && !queried.has(call.key);
    if (isLate && (orders += 1) > 1) {
      await new Promise<void>((resolve) => waiting.set(call.key, resolve));
    }
    const reply = await forward(call);
    if (isQuery(call)) queried.add(call.key);
    if (isQuery(call)) waiting.get(call.key)?.();
    return reply;
  };
};

export const needsNoCredential =
  (authorization: string): Defect =>
  (forward) =>
  (call) =>
    forward({ ...call, authorization });

export const neverReturns = changes(isQuery, (reply) =>
  members(reply)['status'] === 'returned'
    ? { ...reply, body: { ...members(reply), status: 'paid' } }
    : reply,
);

export const ignoresQuotes: Defect = (forward) => (call) =>
  forward({ ...call, body: { ...call.body, quote_id: null } });

export const readsTextAmounts: Defect = (forward) => (call) => {
  const cents = call.body['amount_usd_cents'];
  const body =
    typeof cents === 'string' ? { ...call.body, amount_usd_cents: Number(cents) } : call.body;
  return forward({ ...call, body });
};
