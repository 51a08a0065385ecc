// Checks for the tests of hostile requests: the form of every rejection, and that it wrote no row.
import type { Reply } from '../../support/app';
import { countOf, type TestBed } from '../../support/builders';
import type { RawReply } from '../../support/http/raw-http';

/** All tables that a request can write to. */
const TABLES = [
  'payment_intents',
  'intent_transitions',
  'request_nonces',
  'used_tokens',
  'confirm_payloads',
];

/** @returns the number of all rows that requests have written */
export function countRows(bed: TestBed): Promise<number> {
  const counts = TABLES.map((table) => `(select count(*) from ${table})`);
  return countOf(bed, `select ${counts.join(' + ')} as count`);
}

const CODES: Readonly<Record<number, string>> = {
  400: 'validation_failed',
  401: 'authentication_failed',
  404: 'not_found',
};

/** Words of a stack trace, a file or a library, which no response may contain. */
const INTERNALS = /\bat \S+ \(|\.[jt]s\b|node_modules|node:|Error\b|Postgres|select |zod|jose/;

/**
 * Expects the status, the error envelope, a request id and no internal details. A list must contain
 * exactly one response.
 */
export function expectRejection(answer: Reply | RawReply[], status: number): void {
  const replies = Array.isArray(answer) ? answer : [{ ...answer, head: headOf(answer) }];
  expect(replies).toMatchObject([{ status }]);
  const [reply] = replies;
  expect(reply?.head).toMatch(/^x-request-id: req_[0-9a-f]{24}$/im);
  expect(reply?.head).toMatch(/^content-type: application\/json; charset=utf-8$/im);
  const text = reply?.text ?? '';
  const body = JSON.parse(text) as Readonly<Record<string, unknown>>;
  expect(body).toEqual({ error: CODES[status], message: expect.any(String) as string });
  expect(String(body['message']).length).toBeLessThan(200);
  expect(text).not.toMatch(INTERNALS);
}

function headOf({ headers }: Reply): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join('\r\n');
}
