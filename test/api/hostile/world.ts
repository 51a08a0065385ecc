// What the tests of hostile requests share: what every rejection must look like, and that it wrote nothing.
import type { Reply } from '../../support/app';
import { countOf, type TestBed } from '../../support/builders';
import type { RawReply } from '../../support/http/raw-http';

/** Where what a request can write is kept. */
const TABLES = [
  'payment_intents',
  'intent_transitions',
  'request_nonces',
  'used_tokens',
  'confirm_payloads',
];

/** How many rows requests have written, of whatever kind. */
export function countRows(bed: TestBed): Promise<number> {
  const counts = TABLES.map((table) => `(select count(*) from ${table})`);
  return countOf(bed, `select ${counts.join(' + ')} as count`);
}

const CODES: Readonly<Record<number, string>> = {
  400: 'validation_failed',
  401: 'authentication_failed',
  404: 'not_found',
};

/** Words of a stack, a file or a library: an answer that holds one says what is none of the caller's business. */
const INTERNALS = /\bat \S+ \(|\.[jt]s\b|node_modules|node:|Error\b|Postgres|select |zod|jose/;

/** The status, in the envelope, with a request id, and nothing of the inside. A list has to be of one answer. */
export function expectRefusal(answer: Reply | RawReply[], status: number): void {
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
