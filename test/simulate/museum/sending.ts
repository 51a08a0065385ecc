// Failures of sending money: sent twice, never, or beside the books.
import { count, type Actor, type Exhibit } from './exhibit';

const paysThenRecords: Actor = function* (till) {
  if (till['isRecorded'] === true) return;
  count(till, 'paid');
  yield;
  till['isRecorded'] = true;
};

export const SENDING: readonly Exhibit[] = [
  {
    title: 'A crash between the payment and its record',
    link: 'https://github.com/RUNSTR-LLC/RUNSTR/issues/270',
    what: 'The worker pays, dies before it has written so, and the next one pays again.',
    rule: 'An attempt is recorded before a byte leaves. After it the provider is queried by key before anything is sent again.',
    naive: {
      till: { paid: 0 },
      actors: { first: paysThenRecords, second: paysThenRecords },
      order: ['first', 'second', 'second'],
      isBroken: ({ paid }) => Number(paid) > 1,
    },
    script: { 'the worker, where provider.pay ends #1': 'the worker dies' },
    end: 'authorized → captured, by system',
  },
  {
    title: 'The record is written after the transfer',
    link: 'https://github.com/lernza/lernza/issues/861',
    what: 'The guard against a second payment is written last, so a crash in between removes it.',
    rule: 'The row of the payout is the first thing that is written, in a commit of its own (`record-first-sending`).',
    naive: {
      till: { paid: 0 },
      actors: { first: paysThenRecords, retry: paysThenRecords },
      order: ['first', 'retry'],
      isBroken: ({ paid }) => Number(paid) > 1,
    },
    script: { 'the worker, where record-first-sending ends #1': 'the worker dies' },
    end: 'authorized → captured, by system',
  },
  {
    title: 'A timeout is taken for "not paid"',
    link: 'https://github.com/KanishJebaMathewM/Truxify/issues/8978',
    what: 'The call to the provider times out, the reserved funds are restored, and the provider has paid.',
    rule: 'A timeout is `unknown`. Nothing is released before the provider says so, and no timer ends a payment.',
    naive: {
      till: { paid: 0, restored: 0 },
      actors: {
        *worker(till) {
          count(till, 'paid');
          yield;
          if (till['isAnswered'] !== true) count(till, 'restored');
        },
      },
      order: ['worker', 'worker'],
      isBroken: ({ paid, restored }) => paid === 1 && restored === 1,
    },
    script: { 'the provider': 'pays and is silent for 2 min' },
    end: 'authorized → captured, by system',
  },
  {
    title: 'A retry by hand clears what says that it was sent',
    link: 'https://github.com/KanishJebaMathewM/Truxify/issues/15778',
    what: 'An operator retries a payout, which removes the evidence of its dispatch; the worker sends it again.',
    rule: 'A resume has the provider queried again. Nothing removes a payout row.',
    naive: {
      till: { paid: 0, attemptedAt: 0 },
      actors: {
        *worker(till) {
          for (;;) {
            if (till['attemptedAt'] === 0) {
              till['attemptedAt'] = 1;
              count(till, 'paid');
            }
            yield;
          }
        },
        operator(till) {
          till['attemptedAt'] = 0;
        },
      },
      order: ['worker', 'operator', 'worker'],
      isBroken: ({ paid }) => Number(paid) > 1,
    },
    script: {
      'the provider': 'pays and is silent for 2 min',
      'the worker, where payOut ends #3': 'an operator resumes',
    },
    end: 'authorized → captured, by system',
  },
  {
    title: 'A stale lock is taken over, and paid again',
    link: 'https://github.com/elizaOS/eliza/pull/10573',
    what: 'A worker that holds a payment stands still; another takes the stale lock and pays what was sent already.',
    rule: 'The one that takes over queries the provider by key. What stood still sends nothing any more after one second.',
    naive: {
      till: { paid: 0, lockedAt: 0, now: 0 },
      actors: {
        *frozen(till) {
          till['lockedAt'] = 1;
          yield;
          count(till, 'paid');
        },
        clock(till) {
          till['now'] = 100;
        },
        other(till) {
          if (Number(till['now']) - Number(till['lockedAt']) > 60) count(till, 'paid');
        },
      },
      order: ['frozen', 'clock', 'other', 'frozen'],
      isBroken: ({ paid }) => Number(paid) > 1,
    },
    script: { 'the worker, where provider.pay begins #1': 'the worker freezes for 90 s' },
    end: 'authorized → captured, by system',
  },
  {
    title: 'A new idempotency key for each request',
    link: 'https://github.com/Automattic/woocommerce-payments/issues/3352',
    what: 'The header is sent, and each retry has another key, so the provider executes each.',
    rule: 'The key is `<intent>:payout`, the same on every sending of a payment.',
    naive: {
      till: { paid: 0, keys: '' },
      actors: {
        *retry(till) {
          for (let attempt = 1; ; attempt += 1) {
            const key = `key-${String(attempt)}`;
            if (!String(till['keys']).includes(key)) count(till, 'paid');
            till['keys'] = `${String(till['keys'])} ${key}`;
            yield;
          }
        },
      },
      order: ['retry', 'retry'],
      isBroken: ({ paid }) => Number(paid) > 1,
    },
    script: { 'provider.pay #1': 'its answer is lost' },
    end: 'authorized → captured, by system',
  },
  {
    title: 'A lost answer gets a fresh attempt under a fresh key',
    link: 'https://github.com/eyra/mono/pull/1639',
    what: 'A retry looks for the attempt before, does not find its answer, and pays under the next number.',
    rule: 'Attempts are counted and share one key. A query without an answer permits nothing.',
    naive: {
      till: { paid: 0 },
      actors: {
        *payout(till) {
          while (till['isAnswered'] !== true) {
            count(till, 'paid');
            yield;
          }
        },
      },
      order: ['payout', 'payout', 'payout'],
      isBroken: ({ paid }) => Number(paid) > 1,
    },
    script: { 'provider.pay #1': 'its answer is lost', 'provider.find #1': 'its answer is lost' },
    end: 'authorized → captured, by system',
  },
  {
    title: 'Approved, and never enqueued',
    link: 'https://github.com/ecotask-network/EcoTask-backend/issues/47',
    what: 'The approval commits, the process dies before it enqueues the payout, and nobody ever pays.',
    rule: 'The workflow is the queue: what was authorized is replayed and goes on. A row without one is found by the reconciler.',
    naive: {
      till: { paid: 0, status: 'new' },
      actors: {
        *approval(till) {
          till['status'] = 'approved';
          yield;
          till['isEnqueued'] = true;
        },
        worker(till) {
          if (till['isEnqueued'] === true) count(till, 'paid');
        },
      },
      order: ['approval', 'worker'],
      isBroken: ({ status, paid }) => status === 'approved' && paid === 0,
    },
    script: { 'the worker, where transition: created authorize ends #1': 'the worker dies' },
    end: 'authorized → captured, by system',
  },
  {
    title: 'The debit is deduplicated although it was given back',
    link: 'https://github.com/elizaOS/eliza/issues/11022',
    what: 'A rejected transfer gives the debit back; a retry finds the debit made already, makes none, and transfers.',
    rule: 'A released payment is `failed`, which has no edge back: the debit, the payout and the release belong to one status.',
    naive: {
      till: { debits: 0, given: 0, paid: 0, isProviderUp: false },
      actors: {
        *payout(till) {
          for (;;) {
            if (till['debits'] === 0) count(till, 'debits');
            if (till['isProviderUp'] === true) count(till, 'paid');
            else count(till, 'given');
            yield;
          }
        },
        provider(till) {
          till['isProviderUp'] = true;
        },
      },
      order: ['payout', 'provider', 'payout'],
      isBroken: ({ debits, given, paid }) => Number(debits) - Number(given) < Number(paid),
    },
    script: {
      'the provider': 'declines',
      'the worker, where a workflow task ends #2': 'an operator resets the workflow',
    },
    end: 'authorized → failed, by system',
  },
];
