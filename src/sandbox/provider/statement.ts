// The provider's statement, `GET /statement?since=&until=`: the journal, and what came back, in the
// form that `payctl reconcile` reads, as JSON lines or CSV, each line with its environment.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseRfc3339 } from '../../domain/rfc3339';
import { HttpRejection } from '../http-server';
import { membersOf, parseJson, type Members } from '../json-members';
import { scenarioFor } from '../scenarios';

const ENVIRONMENT = 'sandbox';
const COLUMNS = ['key', 'amount_usd_cents', 'corridor', 'executed_at', 'environment', 'status'];

/**
 * Streams the statement, as CSV if the request accepts `text/csv`.
 * @param journal its lines, oldest first
 * @throws HttpRejection 400 when the period cannot be read
 */
export async function answerStatement(
  request: IncomingMessage,
  response: ServerResponse,
  journal: AsyncIterable<string>,
  now: Date,
): Promise<void> {
  const isInPeriod = periodIn(request);
  const isCsv = (request.headers.accept ?? '').includes('text/csv');
  const type = isCsv ? 'text/csv; charset=utf-8; header=present' : 'application/x-ndjson';
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' });
  const text = isCsv ? csvText : jsonText;
  await pipeline(Readable.from(text(movements(journal, now), isInPeriod)), response);
}

type IsInPeriod = (executedAt: unknown) => boolean;

/** From `since` (included) to `until` (excluded); each may be absent. */
function periodIn({ url = '' }: IncomingMessage): IsInPeriod {
  const { searchParams } = new URL(url, 'http://sandbox');
  const sinceMs = instantIn(searchParams, 'since') ?? -Infinity;
  const untilMs = instantIn(searchParams, 'until') ?? Infinity;
  if (sinceMs > untilMs) throw new HttpRejection(400, 'since is after until.');
  return (executedAt) => {
    const atMs = typeof executedAt === 'string' ? Date.parse(executedAt) : NaN;
    return atMs >= sinceMs && atMs < untilMs;
  };
}

function instantIn(parameters: URLSearchParams, name: string): number | undefined {
  const [given, another] = parameters.getAll(name);
  if (given === undefined) return undefined;
  const instantMs = another === undefined ? parseRfc3339(given) : undefined;
  if (instantMs !== undefined) return instantMs;
  throw new HttpRejection(400, `${name} must be one RFC 3339 time, such as 2026-03-02T12:00:00Z.`);
}

/** Each payment of the journal and, after it, its return. */
async function* movements(journal: AsyncIterable<string>, now: Date): AsyncGenerator<Members> {
  for await (const line of journal) {
    const payment = membersOf(parseJson(line));
    yield payment;
    const { returnedAfterMs } = scenarioFor(Number(payment['amount_usd_cents']));
    if (returnedAfterMs === null) continue;
    const returnedAt = new Date(Date.parse(String(payment['executed_at'])) + returnedAfterMs);
    if (returnedAt > now) continue;
    yield { ...payment, executed_at: returnedAt.toISOString(), status: 'returned' };
  }
}

async function* jsonText(payments: AsyncIterable<Members>, isInPeriod: IsInPeriod) {
  for await (const payment of payments) {
    if (!isInPeriod(payment['executed_at'])) continue;
    yield `${JSON.stringify({ ...payment, environment: ENVIRONMENT })}\n`;
  }
}

async function* csvText(payments: AsyncIterable<Members>, isInPeriod: IsInPeriod) {
  yield `${COLUMNS.join(',')}\r\n`;
  for await (const payment of payments) {
    if (!isInPeriod(payment['executed_at'])) continue;
    const stated: Members = { status: 'paid', ...payment, environment: ENVIRONMENT };
    yield `${COLUMNS.map((column) => quoted(stated[column])).join(',')}\r\n`;
  }
}

/** A key may hold commas and quotes. */
function quoted(value: unknown): string {
  return typeof value === 'string' ? `"${value.replaceAll('"', '""')}"` : String(value);
}
