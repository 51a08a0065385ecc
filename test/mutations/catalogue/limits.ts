// Mutations of the limits of a partner: more leaves than the limit, or less than it allows. And of
// the ceilings of the API.
import type { Mutation } from '../mutation';

const LIMITS = ['test/postgres/partners/limits.test.ts'] as const;
const CEILINGS = ['test/api/ceilings.test.ts'] as const;

export const LIMIT_MUTATIONS: readonly Mutation[] = [
  {
    name: 'an authorize above the limit of the day moves',
    file: 'src/postgres/intents/transition-statements.ts',
    find: 'count: { by: countDay, allows: IS_WITHIN_DAY }',
    replace: "count: { by: countDay, allows: 'true' }",
    tests: LIMITS,
    mustFail: 'are never exceeded, however many confirms come at once',
  },
  {
    name: 'two confirms at once see the same room in the day',
    file: 'src/postgres/partners/limits.ts',
    find: '     where d.authorized_usd_cents + excluded.authorized_usd_cents\n           <= (select usd_cents_per_day from limited)\n',
    replace: '',
    tests: LIMITS,
    mustFail: 'are never exceeded, however many confirms come at once',
  },
  {
    name: 'a failed payment stays in its day',
    file: 'src/postgres/intents/transition-statements.ts',
    find: '...RELEASE_AND_CREDIT, PAYOUT_IS_DECLINED],',
    replace: 'RELEASE, CREDIT, PAYOUT_IS_DECLINED],',
    tests: LIMITS,
    mustFail: 'are given back by a fail',
  },
  {
    name: 'a payment that no day counted is given back',
    file: 'src/postgres/partners/limits.ts',
    find: 'and d.day = m.counted_on',
    replace: "and d.day = (service_now() at time zone 'UTC')::date",
    tests: LIMITS,
    mustFail: 'count from the moment it is set',
  },
  {
    name: 'a create above the limit of a second is created',
    file: 'src/postgres/intents/create.ts',
    find: 'terms.isAmountAllowed && hasPlace',
    replace: 'terms.isAmountAllowed',
    tests: LIMITS,
    mustFail: 'are never exceeded, and begin anew with each second',
  },
  {
    name: 'a token that was refused for the day is refused for good',
    file: 'src/temporal/payment-runner.ts',
    find: 'confirmUpdateId(token.jtiHash, anewFor)',
    replace: 'confirmUpdateId(token.jtiHash, anewFor === undefined ? anewFor : undefined)',
    tests: ['test/faults/live/limit.test.ts'],
    mustFail: 'its token confirms once there is room',
  },
  {
    name: 'requests beyond the ceiling are served',
    file: 'api/middleware/request-ceiling.ts',
    find: 'inProgress >= max &&',
    replace: 'inProgress > max &&',
    tests: CEILINGS,
    mustFail: 'another one is 503 in the envelope with Retry-After',
  },
  {
    name: 'health is rejected beyond the ceiling of requests',
    file: 'api/middleware/request-ceiling.ts',
    find: ' && !HEALTH.includes(ctx.path)',
    replace: '',
    tests: CEILINGS,
    mustFail: 'another one is 503 in the envelope with Retry-After',
  },
  {
    name: 'a request in progress counts for ever',
    file: 'api/middleware/request-ceiling.ts',
    find: 'count(-1);',
    replace: 'count(0);',
    tests: CEILINGS,
    mustFail: 'another one is 503 in the envelope with Retry-After',
  },
  {
    name: 'a new connection is closed while all others are in use',
    file: 'api/server.ts',
    find: 'if (idle !== socket) idle?.destroy();',
    replace: 'idle?.destroy();',
    tests: CEILINGS,
    mustFail: 'none is closed while both have a request in progress',
  },
  {
    name: 'the oldest connection is closed instead of the one that was idle the longest',
    file: 'api/server.ts',
    find: 'if (connections.delete(socket)) connections.set(socket, connection);',
    replace: '',
    tests: CEILINGS,
    mustFail: 'the one that has been idle the longest is closed for a third',
  },
];
