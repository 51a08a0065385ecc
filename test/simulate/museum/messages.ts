// Failures of messages between two sides: repeated requests, repeated webhooks, answers that are
// guesses.
import { count, type Actor, type Exhibit } from './exhibit';

const creditsEachDelivery: Actor = function* (state) {
  for (;;) {
    count(state, 'credited');
    yield;
  }
};

export const MESSAGES: readonly Exhibit[] = [
  {
    title: 'A webhook is credited twice',
    link: 'https://github.com/anomalyco/opencode/issues/28402',
    what: 'The answer to a webhook is lost, it is delivered again, and the balance grows again.',
    rule: 'Every attempt of an event has the same `webhook-id` and body, so the receiver can recognise it (decision 18).',
    naive: {
      state: { credited: 0 },
      actors: { receiver: creditsEachDelivery },
      order: ['receiver', 'receiver'],
      isBroken: ({ credited }) => Number(credited) > 1,
    },
    script: { 'endpoint.post #1': 'its answer is lost' },
    end: 'authorized → captured, by system',
  },
  {
    title: 'A worker dies between a delivery and its record',
    link: 'https://github.com/pollinations/pollinations/issues/10621',
    what: 'The event is handled but its record is not written, so it is handled again.',
    rule: 'After the lease of the event, another worker delivers it under the same id and records the attempt.',
    naive: {
      state: { credited: 0, isRecorded: false },
      actors: {
        *first(state) {
          count(state, 'credited');
          yield;
          state['isRecorded'] = true;
        },
        second(state) {
          if (state['isRecorded'] !== true) count(state, 'credited');
        },
      },
      order: ['first', 'second'],
      isBroken: ({ credited }) => Number(credited) > 1,
    },
    script: { 'the worker, where endpoint.post ends #1': 'the worker dies' },
    end: 'authorized → captured, by system',
  },
  {
    title: 'An idempotency key that is accepted and ignored',
    link: 'https://github.com/own-pay/OwnPay/issues/280',
    what: 'The answer to a create is lost, the client repeats it, and there are two payments.',
    rule: 'The key is unique per partner, and the intent id is derived from it (decision 14).',
    naive: {
      state: { payments: 0 },
      actors: {
        *api(state) {
          for (;;) {
            count(state, 'payments');
            yield;
          }
        },
      },
      order: ['api', 'api'],
      isBroken: ({ payments }) => Number(payments) > 1,
    },
    script: { 'statement create-intent #1': 'it commits and its answer is lost' },
    end: 'authorized → captured, by system',
  },
  {
    title: 'Charged after "payment failed"',
    link: 'https://github.com/bcgov/entity/issues/32832',
    what: 'The page cannot reach the payment service and shows that the payment failed, but it succeeds.',
    rule: 'Answers come from the rows. If the rows do not decide, the answer is 503, and the request may be repeated (decision 6).',
    naive: {
      state: { shown: '', paid: 0 },
      actors: {
        *page(state) {
          count(state, 'paid');
          yield;
          state['shown'] = 'failed';
        },
      },
      order: ['page', 'page'],
      isBroken: ({ shown, paid }) => shown === 'failed' && paid === 1,
    },
    script: { 'Temporal: update confirm #1': 'its answer is lost' },
    end: 'authorized → captured, by system',
  },
  {
    title: 'A random id in workflow code',
    link: 'https://github.com/formancehq/payments/pull/752',
    what: 'A replay draws another id than the history contains, and the workflow is stuck.',
    rule: 'Ids come from the input or from Postgres. The simulation compares every replay with its history.',
    naive: {
      state: { drawn: 0, history: 0, replayed: 0 },
      actors: {
        workflow(state) {
          count(state, 'drawn');
          state['history'] = state['drawn'] ?? 0;
        },
        replay(state) {
          count(state, 'drawn');
          state['replayed'] = state['drawn'] ?? 0;
        },
      },
      order: ['workflow', 'replay'],
      isBroken: ({ history, replayed }) => history !== replayed,
    },
    script: { 'the worker, where a workflow task ends #2': 'the worker dies' },
    end: 'authorized → captured, by system',
  },
];
