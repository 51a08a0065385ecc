// Failures of what one side believes of the other: repeated requests, repeated webhooks, answers that are guesses.
import { count, type Actor, type Exhibit } from './exhibit';

const creditsEachDelivery: Actor = function* (till) {
  for (;;) {
    count(till, 'credited');
    yield;
  }
};

export const TELLING: readonly Exhibit[] = [
  {
    title: 'A webhook is credited twice',
    link: 'https://github.com/anomalyco/opencode/issues/28402',
    what: 'The answer to a webhook is lost, it is delivered again, and the balance grows again.',
    rule: 'Every attempt of an event has the same `webhook-id` and the same body, by which the receiver knows it (decision 18).',
    naive: {
      till: { credited: 0 },
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
    what: 'The event was handled and the answer was not sent, so it is handled again.',
    rule: 'The lease of the event ends, another worker delivers it under the same id, and the attempt is recorded.',
    naive: {
      till: { credited: 0, isRecorded: false },
      actors: {
        *first(till) {
          count(till, 'credited');
          yield;
          till['isRecorded'] = true;
        },
        second(till) {
          if (till['isRecorded'] !== true) count(till, 'credited');
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
    rule: 'The key is unique for its partner, and the id of the intent is derived from it (decision 14).',
    naive: {
      till: { payments: 0 },
      actors: {
        *api(till) {
          for (;;) {
            count(till, 'payments');
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
    what: 'The page could not reach the payment service, said that the payment failed, and it went through.',
    rule: 'An answer is read from the rows. Where they do not say, it is 503 and may be repeated (decision 6).',
    naive: {
      till: { shown: '', paid: 0 },
      actors: {
        *page(till) {
          count(till, 'paid');
          yield;
          till['shown'] = 'failed';
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
    what: 'A replay draws another id than the history has, and the workflow never goes on.',
    rule: 'Ids come with the input or from Postgres; every replay of a life is compared with its history.',
    naive: {
      till: { drawn: 0, history: 0, replayed: 0 },
      actors: {
        workflow(till) {
          count(till, 'drawn');
          till['history'] = till['drawn'] ?? 0;
        },
        replay(till) {
          count(till, 'drawn');
          till['replayed'] = till['drawn'] ?? 0;
        },
      },
      order: ['workflow', 'replay'],
      isBroken: ({ history, replayed }) => history !== replayed,
    },
    script: { 'the worker, where a workflow task ends #2': 'the worker dies' },
    end: 'authorized → captured, by system',
  },
];
