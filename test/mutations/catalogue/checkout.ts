// Mutations of the checkout: a leaked token, a return link to a foreign app, a guessed outcome,
// and a status shown to the wrong token.
import type { TestMutation } from '../mutation';

export const CHECKOUT_MUTATIONS: readonly TestMutation[] = [
  {
    name: 'the token stays in the address of the page',
    file: 'api/checkout/browser/main.ts',
    find: "history.replaceState(null, '', pathname);",
    replace: "history.replaceState(null, '', pathname + hash);",
    tests: ['test/browser/privacy.test.ts'],
    mustFail: 'is gone from the address before the first request of the page’s program',
  },
  {
    name: 'a return link uses a scheme that the partner has not registered',
    file: 'api/checkout/browser/session/return-link.ts',
    find: ' || !registered.includes(scheme)',
    replace: '',
    tests: ['test/checkout/return-link.test.ts'],
    mustFail: 'never to acme where ["acme-pay"] are registered',
  },
  {
    name: 'a link without a scheme returns to the first of several',
    file: 'api/checkout/browser/session/return-link.ts',
    find: 'registered.length === 1 ? registered[0]',
    replace: 'registered.length > 0 ? registered[0]',
    tests: ['test/checkout/return-link.test.ts'],
    mustFail: 'never to null where ["acme","acme-pay"] are registered',
  },
  {
    name: 'a confirm without an answer counts as rejected',
    file: 'api/checkout/browser/confirmation.ts',
    find: "return { kind: 'unanswered', mayHaveArrived: true, retryAfterMs: answer.retryAfterMs };",
    replace: "return { kind: 'session_rejected' };",
    tests: ['test/checkout/confirmation.test.ts'],
    mustFail: 'that is not answered reads the status before it is sent again',
  },
  {
    name: 'a code is shown as paid when its token was used for another',
    file: 'api/checkout/browser/confirmation.ts',
    find: "{ kind: 'used', status: answer.status };",
    replace: "{ kind: 'settled', status: answer.status };",
    tests: ['test/checkout/confirmation.test.ts'],
    mustFail: 'that is rejected because its token was used ends as used: the code may be another',
  },
  {
    name: 'an unknown outcome says that nothing was charged',
    file: 'api/checkout/browser/outcomes.ts',
    find: "'expired', 'limited'];",
    replace: "'expired', 'limited', 'unknown'];",
    tests: ['test/checkout/outcomes.test.ts'],
    mustFail: 'is never said of the open outcome "unknown"',
  },
  {
    name: 'GET shows the status to a token that has confirmed nothing',
    file: 'src/signing/token-checks.ts',
    find: "return purpose !== 'status' || state === 'unanswered' || state === 'answered';",
    replace: "return purpose !== 'status' || state !== 'elsewhere';",
    tests: ['test/api/checkout/session.test.ts'],
    mustFail: 'rejects a token that has confirmed nothing',
  },
];
