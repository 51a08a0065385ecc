// Mutations of which payments get a workflow, and how often a workflow gets a signal (decisions 104
// and 132).
import type { Mutation } from '../mutation';

const POLLER = ['test/temporal/deadline-poller.test.ts'] as const;
const GONE = ['test/faults/live/gone-workflow.test.ts'] as const;

export const START_MUTATIONS: readonly Mutation[] = [
  {
    name: 'each overdue payment without a workflow gets one',
    file: 'src/temporal/deadline-poller.ts',
    find: 'if (workflow === undefined && !needsWorkflow)',
    replace: 'if (workflow === undefined && needsWorkflow)',
    tests: POLLER,
    mustFail: 'expires a payment whose workflow was never started, and starts none',
  },
  {
    name: 'a stop for a restore starts workflows that can decide nothing',
    file: 'src/postgres/intents/expiry.ts',
    find: 'const NEEDS_WORKFLOW = `not ${IS_RESTORE_STOP_IN_FORCE}',
    replace: 'const NEEDS_WORKFLOW = `true',
    tests: POLLER,
    mustFail: 'starts no workflow for a payment that has none during a stop for a restore',
  },
  {
    name: 'workflows that are started after the deadline all wake at once',
    file: 'src/temporal/payment-start.ts',
    find: "if (payment.status !== 'created') return {};",
    replace: "if (payment.status !== 'created' || isOverdue(payment, now)) return {};",
    tests: POLLER,
    mustFail: 'if its provider must be queried, and wakes it minutes later',
  },
  {
    name: 'the start queue starts workflows of overdue payments',
    file: 'src/temporal/start-queue.ts',
    find: 'if (isOverdue(payment, clock.now())) return;',
    replace: '',
    tests: ['test/temporal/start-queue.test.ts'],
    mustFail: 'starts no workflow for a payment whose deadline has passed while its start waited',
  },
  {
    name: 'a cancel starts the workflow of an overdue payment',
    file: 'src/temporal/payment-runner.ts',
    find: '!isOverdue(payment, options.clock.now()) && ',
    replace: '',
    tests: GONE,
    mustFail: 'a cancel in the seconds after the deadline starts no workflow',
  },
  {
    name: 'a row older than the retention of the namespace counts as never started',
    file: 'src/temporal/payment-start.ts',
    find: 'if (ageMs < RETENTION_MIN_MS) return false;',
    replace: 'if (ageMs >= RETENTION_MIN_MS) return false;',
    tests: GONE,
    mustFail: 'a cancel is answered 503, starts none and raises attention',
  },
  {
    name: 'a row that says that its workflow has completed gets another by a cancel',
    file: 'src/temporal/ensure-workflow.ts',
    find: 'if (await options.intents.isWorkflowGone(payment.intentId)) return true;',
    replace: '',
    tests: GONE,
    mustFail: 'a cancel is answered 503 and starts none',
  },
  {
    name: 'the workflow repairer starts a workflow where a completed one may be gone',
    file: 'src/temporal/ensure-workflow.ts',
    find: 'if (await isGone(options, payment)) return;',
    replace: '',
    tests: GONE,
    mustFail: 'the workflow repairer starts none for one that is created, and raises attention',
  },
  {
    name: 'the deadline poller expires a payment whose completed workflow may be gone',
    file: 'src/temporal/deadline-poller.ts',
    find: 'return !(await isGone(options, payment));',
    replace: 'return true;',
    tests: GONE,
    mustFail: 'the deadline poller starts none and does not expire it, but raises attention',
  },
  {
    name: 'an operator’s confirm starts a workflow where a completed one may be gone',
    file: 'src/ops/intents/workflow-request.ts',
    find: 'if (story.status === status) return rejectCompleted(tools, story);',
    replace: 'if (story.status === status) return;',
    tests: GONE,
    mustFail: 'of one that is created, payctl intents ["confirm","--reason","they called"]',
  },
  {
    name: 'each resume signal writes the attention again',
    file: 'workflows/payment.ts',
    find: 'payment.isAttentionRepeated = true;',
    replace: '',
    tests: ['test/workflows/many-resumes.test.ts'],
    mustFail: 'most resume signals that come while the attention is written again do not write it',
  },
  {
    name: 'reminders pile up in the history of a payment that waits',
    file: 'src/temporal/ensure-workflow.ts',
    find: 'REMIND_OFTEN_AFTER_MS ? 1 : 4',
    replace: 'REMIND_OFTEN_AFTER_MS ? 1 : 400',
    tests: ['test/temporal/reminders.test.ts'],
    mustFail: 'a payment that waits for a year gets less than a hundred reminders',
  },
];
