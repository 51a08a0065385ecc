// Lives in which an answer of the provider invites another order, a release or a capture that would
// be wrong (decision 150).
import type { Script } from './run/choices';

interface Danger {
  readonly script: Script;
  /** Its last change of status; undefined where a failover has lost each. */
  readonly end: string | undefined;
  /** What people are asked to look at in the end. */
  readonly attention: string | null;
}

const CAPTURED = { end: 'authorized → captured, by system', attention: null } as const;
const FAILED = { end: 'authorized → failed, by system', attention: null } as const;
const OPEN = 'created → authorized, by payer';
const QUERIED =
  'The outcome of the payout is unknown. The provider is queried by key until it answers.';
const CAME_BACK =
  'The provider has paid, and the money came back. Resolve the payout as declined to release the debit.';
const PAID_AGAIN = 'The provider says paid again, after it said that the money came back.';

const LOST = { 'provider.pay #1': 'its answer is lost' } as const;
const DEARER_LATER = {
  'provider.pay #1': 'it is not reached',
  'the cost': 'above its bound from the second order on',
} as const;
const DIES_BEFORE_THE_RECORD = {
  'the worker, where provider.pay ends #1': 'the worker dies',
} as const;
const CANCELLED_AFTER_A_LOSS = {
  ...{ ...LOST, 'the backup of Postgres, by phase': 'created' },
  'statement set-attention #1': 'a failover loses what came after the backup',
  'while it waits': 'the partner cancels',
} as const;
const RESOLVED_TOO_EARLY = {
  ...LOST,
  'the worker, where set-attention ends #1': 'an operator resolves the payout as the provider did',
} as const;

/** While the first order waits in the provider's queue, by what it does with a repeat. */
const QUEUES = ['repeats it', 'refuses repeats', 'pays repeats again'] as const;
const inEachQueue = (name: string, danger: Danger): readonly (readonly [string, Danger])[] =>
  QUEUES.map((queue) => {
    const script = { ...danger.script, 'the queue of the provider': queue };
    return [`${name}, in a queue that ${queue}`, { ...danger, script }];
  });

export const DANGERS: Readonly<Record<string, Danger>> = {
  'a check of ours that fails after an unanswered request': {
    script: { 'the adapter': 'transfi', ...DEARER_LATER },
    ...{ end: OPEN, attention: QUERIED },
  },
  'a check of ours that fails, and a denial that is no proof': {
    script: {
      ...{ 'the adapter': 'musepay', ...DEARER_LATER },
      'the queue of the provider': 'refuses repeats',
    },
    ...{ end: OPEN, attention: QUERIED },
  },
  'another account, and the answer of the former one was lost': {
    script: { 'the account of the corridor': 'is changed', ...DIES_BEFORE_THE_RECORD },
    ...CAPTURED,
  },
  'a refusal of the repeat, while the first order waits': {
    script: { ...LOST, 'the queue of the provider': 'refuses repeats as not allowed' },
    ...CAPTURED,
  },
  'two refusals, then paid': {
    script: { 'the provider': 'refuses two orders for too little balance' },
    ...CAPTURED,
  },
  ...Object.fromEntries([
    ...inEachQueue('an unknown key, and a cancel after a failover', {
      script: CANCELLED_AFTER_A_LOSS,
      ...{
        end: undefined,
        attention: `${QUERIED} The payment is authorized, but its row says created.`,
      },
    }),
    ...inEachQueue('an unknown key, and an operator who says declined', {
      script: RESOLVED_TOO_EARLY,
      ...CAPTURED,
    }),
  ]),
  'a duplicate of an order that they never had': {
    script: { 'the provider': 'calls an order a duplicate that it never had' },
    ...{ end: OPEN, attention: QUERIED },
  },
  'returned as the first answer': {
    script: { 'the provider': 'returns the money' },
    ...{ end: OPEN, attention: CAME_BACK },
  },
  'returned after a lost answer': {
    script: { ...LOST, 'the provider': 'returns the money' },
    ...{ end: OPEN, attention: CAME_BACK },
  },
  'returned after the capture': {
    script: { 'the provider': 'pays, and gets it back' },
    ...{ ...CAPTURED, attention: 'The payment was captured, and now the provider says returned.' },
  },
  'a refund, then paid': {
    script: {
      'the provider': 'pays, gets it back, and pays again',
      'the story': 'it is confirmed, and refunded twice',
    },
    ...{ end: 'captured → refunded, by operator-1', attention: PAID_AGAIN },
  },
  'success, failure, success': {
    script: { 'the provider': 'pays, then says declined, then paid' },
    ...{ ...CAPTURED, attention: PAID_AGAIN },
  },
  'a death between the id of the provider and its record': {
    script: { 'the adapter': 'transfi', ...DIES_BEFORE_THE_RECORD },
    ...{ end: OPEN, attention: QUERIED },
  },
  'that death, and a callback': {
    script: {
      ...{ 'the adapter': 'transfi', ...DIES_BEFORE_THE_RECORD },
      'while it waits': 'the provider calls back',
    },
    ...CAPTURED,
  },
  'the id of another payment': {
    script: {
      ...{ ...LOST, 'the adapter': 'transfi' },
      'the worker, where set-attention ends #1': 'an operator names the id of another payment',
    },
    ...{ end: OPEN, attention: QUERIED },
  },
  'an operator who says declined, as the provider does for 3 s': {
    script: {
      'the provider': 'declines, and revokes that after 3 s',
      'the queue of the provider': 'refuses repeats',
      'the worker, where begin-payout-attempt ends #9':
        'an operator resolves a paid payout as declined',
    },
    end: 'authorized → failed, by operator-1',
    attention: 'Resolved manually as declined, but the provider says paid.',
  },
  'a fee larger than the payment': {
    script: { 'the adapter': 'musepay', 'the cost': 'the payment again as a fee' },
    ...FAILED,
  },
};
