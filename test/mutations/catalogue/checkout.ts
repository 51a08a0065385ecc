// Mistakes of the checkout: a token that is left lying about, a way back to a stranger, an outcome that is guessed, and a
// status that is told to the wrong one.
import type { TestMutation } from '../mutation';

export const CHECKOUT_MISTAKES: readonly TestMutation[] = [
  {
    name: 'the token stays in the address',
    file: 'api/checkout/browser/session/address.ts',
    find: "history.replaceState(null, '', pathname);",
    replace: "history.replaceState(null, '', pathname + hash);",
    tests: ['test/browser/privacy.test.ts'],
    mustFail: 'is gone from the address before the first request of the page’s program',
  },
  {
    name: 'a scheme is followed that the partner has not registered',
    file: 'api/checkout/browser/session/return-link.ts',
    find: ' || !registered.includes(asked)',
    replace: '',
    tests: ['test/checkout/return-link.test.ts'],
    mustFail: 'never to acme where ["acme-pay"] are registered',
  },
  {
    name: 'a confirm that was not answered is taken for refused',
    file: 'api/checkout/browser/confirmation.ts',
    find: "return { kind: 'unanswered', mayHaveArrived: true, retryAfterMs: answer.retryAfterMs };",
    replace: "return { kind: 'session_refused' };",
    tests: ['test/checkout/confirmation.test.ts'],
    mustFail: 'that is not answered is asked about before it is sent again',
  },
  {
    name: 'the status is told to a token that has confirmed nothing',
    file: 'api/auth/session-token.ts',
    find: "return purpose !== 'status' || state === 'unanswered' || state === 'answered';",
    replace: "return purpose !== 'status' || state !== 'elsewhere';",
    tests: ['test/api/checkout/session.test.ts'],
    mustFail: 'is refused to a token that has confirmed nothing',
  },
];
