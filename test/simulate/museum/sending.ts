// Failures of sending money: sent twice, never sent, or not recorded.
import { count, type Actor, type Exhibit } from './exhibit';

const paysThenRecords: Actor = function* (state) {
  if (state['isRecorded'] === true) return;
  count(state, 'paid');
  yield;
  state['isRecorded'] = true;
};

export const SENDING: readonly Exhibit[] = [
  {
    title: 'A crash between the payment and its record',
    link: 'https://github.com/RUNSTR-LLC/RUNSTR/issues/270',
    what: 'The worker pays and dies before it records the payment, and the next worker pays again.',
    rule: 'An attempt is recorded before it is sent. Later attempts query the provider by key before they send.',
    naive: {
      state: { paid: 0 },
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
    rule: 'The row of the payout is written first, in a separate commit (`record-first-sending`).',
    naive: {
      state: { paid: 0 },
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
      state: { paid: 0, restored: 0 },
      actors: {
        *worker(state) {
          count(state, 'paid');
          yield;
          if (state['isAnswered'] !== true) count(state, 'restored');
        },
      },
      order: ['worker', 'worker'],
      isBroken: ({ paid, restored }) => paid === 1 && restored === 1,
    },
    script: { 'the provider': 'pays and is silent for 2 min' },
    end: 'authorized → captured, by system',
  },
  {
    title: 'A manual retry deletes the record of the sending',
    link: 'https://github.com/KanishJebaMathewM/Truxify/issues/15778',
    what: 'An operator retries a payout, which deletes the record that it was sent; the worker sends it again.',
    rule: 'A resume makes the workflow query the provider again. Nothing deletes a payout row.',
    naive: {
      state: { paid: 0, attemptedAt: 0 },
      actors: {
        *worker(state) {
          for (;;) {
            if (state['attemptedAt'] === 0) {
              state['attemptedAt'] = 1;
              count(state, 'paid');
            }
            yield;
          }
        },
        operator(state) {
          state['attemptedAt'] = 0;
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
    title: 'A worker takes over a stale lock and pays again',
    link: 'https://github.com/elizaOS/eliza/pull/10573',
    what: 'A worker that holds a payment freezes; another takes the stale lock and pays again.',
    rule: 'The second worker queries the provider by key. A frozen attempt sends nothing after one second.',
    naive: {
      state: { paid: 0, lockedAt: 0, now: 0 },
      actors: {
        *frozen(state) {
          state['lockedAt'] = 1;
          yield;
          count(state, 'paid');
        },
        clock(state) {
          state['now'] = 100;
        },
        other(state) {
          if (Number(state['now']) - Number(state['lockedAt']) > 60) count(state, 'paid');
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
    what: 'Each retry sends the header with another key, so the provider executes each.',
    rule: 'The key is `<intent>:payout`, the same for every sending of a payment.',
    naive: {
      state: { paid: 0, keys: '' },
      actors: {
        *retry(state) {
          for (let attempt = 1; ; attempt += 1) {
            const key = `key-${String(attempt)}`;
            if (!String(state['keys']).includes(key)) count(state, 'paid');
            state['keys'] = `${String(state['keys'])} ${key}`;
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
    what: 'A retry finds no answer of the previous attempt, and pays under the next number.',
    rule: 'Attempts are counted and share one key. A query without an answer permits nothing.',
    naive: {
      state: { paid: 0 },
      actors: {
        *payout(state) {
          while (state['isAnswered'] !== true) {
            count(state, 'paid');
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
    what: 'The approval commits, the process dies before it enqueues the payout, and the payout never happens.',
    rule: 'The workflow is the queue: an authorized payment is replayed and goes on. The workflow repairer finds a row without a workflow.',
    naive: {
      state: { paid: 0, status: 'new' },
      actors: {
        *approval(state) {
          state['status'] = 'approved';
          yield;
          state['isEnqueued'] = true;
        },
        worker(state) {
          if (state['isEnqueued'] === true) count(state, 'paid');
        },
      },
      order: ['approval', 'worker'],
      isBroken: ({ status, paid }) => status === 'approved' && paid === 0,
    },
    script: { 'the worker, where transition: created authorize ends #1': 'the worker dies' },
    end: 'authorized → captured, by system',
  },
  {
    title: 'A retry reuses a debit that was given back',
    link: 'https://github.com/elizaOS/eliza/issues/11022',
    what: 'A rejected transfer gives the debit back; a retry finds the old debit, makes no new one, and transfers.',
    rule: 'A released payment is `failed`, which has no transition to another status, so no retry can follow.',
    naive: {
      state: { debits: 0, given: 0, paid: 0, isProviderUp: false },
      actors: {
        *payout(state) {
          for (;;) {
            if (state['debits'] === 0) count(state, 'debits');
            if (state['isProviderUp'] === true) count(state, 'paid');
            else count(state, 'given');
            yield;
          }
        },
        provider(state) {
          state['isProviderUp'] = true;
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
