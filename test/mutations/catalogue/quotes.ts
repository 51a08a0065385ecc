// Mutations of quotes (decision 155): what may be quoted, what a confirm with a quote authorizes,
// and what its order says.
import type { Mutation } from '../mutation';

const ROUTE = 'api/checkout/quote.ts';
const STORE = 'src/postgres/payouts/quotes.ts';
const TOKENS = 'src/postgres/partners/session-tokens.ts';
const STATEMENTS = 'src/postgres/intents/transition-statements.ts';
const JOURNAL = 'src/postgres/payouts/journal.ts';
const QUOTES = ['test/api/quotes/quote.test.ts'] as const;
const CONFIRMS = ['test/api/quotes/confirm.test.ts'] as const;
const ORDERS = ['test/api/quotes/orders.test.ts'] as const;

export const QUOTE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a quote that has expired authorizes',
    file: STATEMENTS,
    find: '    HAS_NO_EXPIRED_QUOTE,\n',
    replace: '',
    tests: CONFIRMS,
    mustFail: 'authorizes nothing if it expires between its check and the statement',
  },
  {
    name: 'a confirm is told that its quote has expired while it is being authorized',
    file: TOKENS,
    find: 'for share) as locked) as intent',
    replace: ') as locked) as intent',
    tests: CONFIRMS,
    mustFail: 'says so only when no authorize is under way that began before',
  },
  {
    name: 'a quote of another intent is accepted',
    file: TOKENS,
    find: 'on q.quote_id = $7 and q.intent_id = $1 and',
    replace: 'on q.quote_id = $7 and',
    tests: CONFIRMS,
    mustFail: 'with a quote of another intent',
  },
  {
    name: 'a quote of another code is accepted',
    file: TOKENS,
    find: "and q.intent_id = $1 and q.code_hash = ${hashOf('$3')}",
    replace: 'and q.intent_id = $1',
    tests: CONFIRMS,
    mustFail: 'with a quote of another code',
  },
  {
    name: 'what the payer was shown is not compared',
    file: TOKENS,
    find: 'when $8::jsonb <> ${SHOWN}',
    replace: 'when false and $8::jsonb <> ${SHOWN}',
    tests: CONFIRMS,
    mustFail: 'if another local was shown',
  },
  {
    name: 'a token whose quote has expired takes no other',
    file: TOKENS,
    find: 'where clock.is_created and p.intent_id = $1',
    replace: 'where false and p.intent_id = $1',
    tests: CONFIRMS,
    mustFail: 'authorizes nothing if it expires between its check and the statement',
  },
  {
    name: 'a confirm with another quote than the adopted one is answered 200',
    file: TOKENS,
    find: 'and ($7::text is null or p.quote_id = $7)',
    replace: 'and ($7::text is null or true)',
    tests: CONFIRMS,
    mustFail: 'of one token the first is adopted, and the other is 409',
  },
  {
    name: 'what the payer was shown is not kept',
    file: STATEMENTS,
    find: 'set is_adopted = true, shown = code.shown',
    replace: 'set is_adopted = true',
    tests: CONFIRMS,
    mustFail: 'keeps what the payer was shown',
  },
  {
    name: 'a confirm needs no quote where one is required',
    file: 'api/intents/payload.ts',
    find: 'quoteId === undefined && isQuoteRequired[corridor]',
    replace: 'quoteId === null && isQuoteRequired[corridor]',
    tests: CONFIRMS,
    mustFail: 'where a quote is required',
  },
  {
    name: 'an order repeats a quote that has expired',
    file: JOURNAL,
    find: ' and q.expires_at > service_now())`',
    replace: ')`',
    tests: ORDERS,
    mustFail: 'a quote that has expired is not repeated',
  },
  {
    name: 'an order repeats the quote of another account',
    file: JOURNAL,
    find: 'and q.account = $4 and',
    replace: 'and $4::text is not null and',
    tests: ORDERS,
    mustFail: 'the token of another account is not used',
  },
  {
    name: 'a later order has another token than the first',
    file: JOURNAL,
    find: 'case when p.requests = 0 then ${TOKEN} else p.token end',
    replace: '${TOKEN}',
    tests: ORDERS,
    mustFail: 'a later request repeats what the first one had',
  },
  {
    name: 'the intent has two requests for a quote at a time',
    file: STORE,
    find: 'where r.busy_until <= excluded.busy_until - ${BUSY}',
    replace: 'where true',
    tests: QUOTES,
    mustFail: 'of simultaneous requests for one intent one begins',
  },
  {
    name: 'an intent has any number of quotes',
    file: STORE,
    find: 'and r.requests < ${String(QUOTES_PER_INTENT_MAX)}',
    replace: 'and r.requests < 1000 + ${String(QUOTES_PER_INTENT_MAX)}',
    tests: QUOTES,
    mustFail: 'at most twenty quotes',
  },
  {
    name: 'an intent has any number of codes',
    file: STORE,
    find: 'or cardinality(r.code_hashes) < ${String(QUOTED_CODES_PER_INTENT_MAX)}',
    replace: 'or cardinality(r.code_hashes) < 1000 + ${String(QUOTED_CODES_PER_INTENT_MAX)}',
    tests: QUOTES,
    mustFail: 'at most five codes',
  },
  {
    name: 'a partner has any number of quotes',
    file: STORE,
    find: 'and b.full_at > clock.now + ${BUCKET}',
    replace: 'and false',
    tests: QUOTES,
    mustFail: 'a partner has a bucket of quotes',
  },
  {
    name: 'a quote outlives that of the provider',
    file: STORE,
    find: 'least($11, service_now()',
    replace: 'greatest($11, service_now()',
    tests: QUOTES,
    mustFail: 'expires when the provider’s does, if that is earlier',
  },
  {
    name: 'a silent provider holds any number of requests',
    file: ROUTE,
    find: 'corridor.requests >= QUOTES_UNDER_WAY_MAX',
    replace: 'corridor.requests > QUOTES_UNDER_WAY_MAX',
    tests: QUOTES,
    mustFail: 'the API holds at most 100 requests',
  },
  {
    name: 'a code is quoted whatever it costs',
    file: ROUTE,
    find: "if (check.verdict === 'failed') return notQuoted(check.code);",
    replace: '',
    tests: QUOTES,
    mustFail: 'a cost above the bound is 422',
  },
];
