// Sends ten thousand requests to the application in this process and prints the heap growth as `{
// "growth": bytes }`. It collects all garbage before both readings (`--expose-gc`). Usage:
// heap-program.ts DATABASE_URL.
import type { AddressInfo } from 'node:net';
import { createApp } from '../../api/app';
import { closeServer, createApiServer } from '../../api/server';
import { createLogger, createRequestLog } from '../../src/observe/logger';
import { createMetrics } from '../../src/observe/api-metrics';
import { listen } from '../../src/main/listen';
import type { PaymentIntent } from '../../src/domain/intents/payment-intent';
import { runBlock } from '../bench/load/load-client';
import { INTENTS_PATH, toBytes } from '../bench/load/requests';
import { apiDependencies, CONNECTIONS_MAX, createMemoryKeySets } from '../support/app';
import { anIntent, openTestBed } from '../support/builders';
import { aPartner, mintToken, sign, type TestPartner } from '../support/payments/partner';
import { NO_POOL } from '../support/no-pool';

const BODY = '{"partner_user_id":"user-4711","amount_usd_cents":1250,"corridor":"th_qrpay"}';
const REQUESTS = 10_000;
/** Until compiled code, pools and caches of partners have reached their size. */
const WARM_UP_REQUESTS = 3_000;
const AT_A_TIME = 500;
/** Fewer than a block has reads by token. */
const TOKENS = 100;
const IN_FLIGHT = 16;
/** The statuses of every block: reads, creates, rejections. */
const STATUSES = '200,201,401';

async function measure(databaseUrl: string): Promise<number> {
  const bed = await openTestBed({ on: { url: databaseUrl, drop: () => Promise.resolve() } });
  const partner = await aPartner(bed);
  const intent = await anIntent(bed, partner);
  const port = await serve(bed, partner);
  const tokens = Array.from({ length: TOKENS }, () => mintToken(partner, intent));
  await send(port, WARM_UP_REQUESTS, { partner, intent, tokens });
  const before = await heapUsed();
  await send(port, REQUESTS, { partner, intent, tokens });
  return (await heapUsed()) - before;
}

async function serve(
  bed: Awaited<ReturnType<typeof openTestBed>>,
  partner: TestPartner,
): Promise<number> {
  const records = { begun: [], payouts: [], rejections: [], keySetUses: [], lines: [] };
  const simulated = { state: { mode: 'settle' as const }, records };
  const runner = {
    begin: () => undefined,
    confirm: () => Promise.resolve('no_answer' as const),
    cancel: () => Promise.resolve('no_answer' as const),
  };
  const keySets = createMemoryKeySets([partner]);
  const dependencies = {
    ...apiDependencies(bed, { keySets, runner }, simulated),
    log: createLogger('api', 'info', { write: () => undefined }),
    requestLog: createRequestLog('api', 'info', { write: () => undefined }),
    metrics: createMetrics(NO_POOL),
  };
  const server = createApiServer({
    ...dependencies,
    handler: createApp(dependencies).callback(),
    envelope: 'flat',
    connectionsMax: CONNECTIONS_MAX,
  });
  process.once('disconnect', () => void closeServer(server, 0));
  await listen(server, 0, '127.0.0.1');
  return (server.address() as AddressInfo).port;
}

interface Known {
  readonly partner: TestPartner;
  readonly intent: PaymentIntent;
  /** The API caches verified tokens up to a bound, so the warm-up sends each of them. */
  readonly tokens: readonly string[];
}

/** Sends in blocks, so that prepared requests are garbage when the heap is measured. */
async function send(port: number, count: number, known: Known): Promise<void> {
  for (let sent = 0; sent < count; sent += AT_A_TIME) {
    const requests = Array.from({ length: AT_A_TIME }, (_, index) => requestOf(index, known));
    const { statuses } = await runBlock({ port, inFlight: IN_FLIGHT, requests });
    if (statuses.toSorted().join() !== STATUSES) throw new Error(`answered ${statuses.join()}`);
  }
}

/** A quarter each: creates, reads by token, signed reads, rejections. */
function requestOf(index: number, { partner, intent, tokens }: Known): Uint8Array {
  const path = `${INTENTS_PATH}/${intent.intentId}`;
  const create = { method: 'POST', path: INTENTS_PATH, body: BODY };
  const json = { 'Content-Type': 'application/json' };
  const read = { method: 'GET', path };
  switch (index % 4) {
    case 0:
      return toBytes({ ...create, headers: { ...json, ...sign(partner, create) } });
    case 1:
      return toBytes({
        ...read,
        headers: { Authorization: `Bearer ${tokens[((index - 1) / 4) % TOKENS] ?? ''}` },
      });
    case 2:
      return toBytes({ ...read, headers: sign(partner, read) });
    default:
      return toBytes({ ...create, headers: { ...json, ...sign(partner, read) } });
  }
}

/** Collects garbage twice, because finalizers release memory only after the first time. */
async function heapUsed(): Promise<number> {
  for (let time = 0; time < 2; time += 1) {
    globalThis.gc?.();
    await new Promise(setImmediate);
  }
  return process.memoryUsage().heapUsed;
}

async function main(databaseUrl: string | undefined): Promise<void> {
  if (databaseUrl === undefined || globalThis.gc === undefined) {
    throw new Error('usage: node --expose-gc heap-program.ts DATABASE_URL');
  }
  process.stdout.write(`${JSON.stringify({ growth: await measure(databaseUrl) })}\n`);
  process.exit();
}

void main(process.argv[2]);
