// What the tests of hostile requests share: an API with one good partner, and what every refusal must look like.
import type { PaymentIntent } from '../../src/domain/payment-intent';
import { createMemoryKeySets, startApp, type Reply, type TestApp } from '../support/app';
import { anIntent, countOf, openTestBed, type TestBed } from '../support/builders';
import { aPartner, type TestPartner } from '../support/partner';

export interface HostileWorld {
  readonly bed: TestBed;
  readonly app: TestApp;
  readonly partner: TestPartner;
  readonly intent: PaymentIntent;
  /** How many rows requests have written, of whatever kind. */
  countRows(): Promise<number>;
  close(): Promise<void>;
}

/** Where what a request can write is kept. */
const TABLES = [
  'payment_intents',
  'intent_transitions',
  'request_nonces',
  'used_tokens',
  'confirm_payloads',
];

export async function openHostileWorld(): Promise<HostileWorld> {
  const bed = await openTestBed();
  const partner = await aPartner(bed);
  const app = await startApp(bed, { keySets: createMemoryKeySets([partner]) });
  const intent = await anIntent(bed, partner);
  const counts = TABLES.map((table) => `(select count(*) from ${table})`);
  return {
    bed,
    app,
    partner,
    intent,
    countRows: () => countOf(bed, `select ${counts.join(' + ')} as count`),
    async close() {
      await app.close();
      await bed.close();
    },
  };
}

const CODES: Readonly<Record<number, string>> = {
  400: 'validation_failed',
  401: 'authentication_failed',
  404: 'not_found',
};

/** Words of a stack, a file or a library: an answer that holds one says what is none of the caller's business. */
const INTERNALS = /\bat \S+ \(|\.[jt]s\b|node_modules|node:|Error\b|Postgres|select |zod|jose/;

type Answer = Pick<Reply, 'status' | 'text'>;

/** The status, in the envelope, with a request id, and nothing of the inside. */
export function expectRefusal(answer: Answer & { readonly head: string }, status: number): void {
  expect(answer).toMatchObject({ status });
  expect(answer.head).toMatch(/^x-request-id: req_[0-9a-f]{24}$/im);
  expect(answer.head).toMatch(/^content-type: application\/json; charset=utf-8$/im);
  const body = JSON.parse(answer.text) as Readonly<Record<string, unknown>>;
  expect(body).toEqual({ error: CODES[status], message: expect.any(String) as string });
  expect(String(body['message']).length).toBeLessThan(200);
  expect(answer.text).not.toMatch(INTERNALS);
}

/** A reply of `app.send` as one of a raw socket. */
export function withHead(reply: Reply): Reply & { readonly head: string } {
  const lines = Object.entries(reply.headers).map(([name, value]) => `${name}: ${String(value)}`);
  return { ...reply, head: lines.join('\r\n') };
}
