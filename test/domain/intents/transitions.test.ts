// Protocol 2.3 and rule R1 (architecture, section 3). The tables are written by hand, from the
// protocol.
import {
  canAdopt,
  INTENT_EVENTS,
  isReachable,
  isSettled,
  nextStatus,
  parseIntentStatus,
} from '../../../src/domain/intents/transitions';
import { INTENT_STATUSES, type IntentStatus } from '../../../src/domain/intents/payment-intent';
import {
  WORKFLOW_HAS_COMPLETED,
  workflowHasCompleted,
} from '../../../src/domain/intents/completed-workflow';

type Row = readonly [IntentStatus, ...(IntentStatus | '-')[]];

/** Rows: the status an intent has. Columns: authorize, expire, cancel, capture, fail, refund. */
const MATRIX: readonly Row[] = [
  ['created', 'authorized', 'expired', 'cancelled', '-', '-', '-'],
  ['authorized', '-', '-', 'cancelled', 'captured', 'failed', '-'],
  ['captured', '-', '-', '-', '-', '-', 'refunded'],
  ['failed', '-', '-', '-', '-', '-', '-'],
  ['expired', '-', '-', '-', '-', '-', '-'],
  ['refunded', '-', '-', '-', '-', '-', '-'],
  ['cancelled', '-', '-', '-', '-', '-', '-'],
];
const COLUMNS = ['authorize', 'expire', 'cancel', 'capture', 'fail', 'refund'] as const;

const CELLS = MATRIX.flatMap(([from, ...row]) =>
  COLUMNS.map((event, column) => [from, event, row[column]] as const),
);

describe('the table of statuses and events', () => {
  it('has a hand-written cell for every status and every event', () => {
    expect(MATRIX.map(([from]) => from)).toEqual([...INTENT_STATUSES]);
    expect(COLUMNS).toEqual(INTENT_EVENTS);
  });

  it.each(CELLS)('from %s, %s leads to %s', (from, event, to) => {
    expect(nextStatus(from, event) ?? '-').toBe(to);
  });
});

/** What each status may still become, itself included. */
const REACHABLE: Readonly<Record<IntentStatus, readonly IntentStatus[]>> = {
  created: ['created', 'authorized', 'captured', 'failed', 'expired', 'refunded', 'cancelled'],
  authorized: ['authorized', 'captured', 'failed', 'refunded', 'cancelled'],
  captured: ['captured', 'refunded'],
  failed: ['failed'],
  expired: ['expired'],
  refunded: ['refunded'],
  cancelled: ['cancelled'],
};

const PAIRS = INTENT_STATUSES.flatMap((from) => INTENT_STATUSES.map((to) => [from, to] as const));

describe('what an intent may still become', () => {
  it.each(PAIRS)('from %s, whether %s can be reached', (from, to) => {
    expect(isReachable(from, to)).toBe(REACHABLE[from].includes(to));
  });

  it.each(INTENT_STATUSES)(
    '%s is the end of a payment, unless it is created or authorized',
    (one) => {
      expect(isSettled(one)).toBe(!['created', 'authorized'].includes(one));
    },
  );
});

/** From `created` no money has moved for this run. */
const ANY_LATER = INTENT_STATUSES.filter((status) => status !== 'created');

/** Rule R1, for every edge of the table: the statuses of the row that a run taking this edge may adopt. */
const ADOPTABLE: readonly (readonly [IntentStatus, IntentStatus, readonly IntentStatus[]])[] = [
  ['created', 'authorized', ANY_LATER],
  ['created', 'expired', ANY_LATER],
  ['created', 'cancelled', ANY_LATER],
  ['authorized', 'captured', ['captured', 'refunded']],
  ['authorized', 'failed', ['failed']],
  ['authorized', 'cancelled', ['cancelled']],
  ['captured', 'refunded', ['refunded']],
];

const ADOPTIONS = ADOPTABLE.flatMap(([from, target, rows]) =>
  INTENT_STATUSES.filter((row) => row !== from).map(
    (row) => [from, target, row, rows.includes(row)] as const,
  ),
);

describe('rule R1: a run adopts a row that is further along, and never one that contradicts it', () => {
  it.each(ADOPTIONS)(
    'going from %s to %s, a row that says %s: %s',
    (from, target, row, expected) => {
      expect(canAdopt({ from, target, row })).toBe(expected);
    },
  );
});

describe('a status read from outside', () => {
  it.each(INTENT_STATUSES)('takes %s', (status) => {
    expect(parseIntentStatus(status)).toBe(status);
  });

  it.each(['', 'Created', 'created ', 'pending'])('refuses "%s"', (text) => {
    expect(() => parseIntentStatus(text)).toThrow('not an intent status');
  });
});

// Rows in production hold this text, and the sweep knows them by it: another text would have it start their runs again.
it('an open row whose run has completed is told in the words that rows hold already', () => {
  expect(WORKFLOW_HAS_COMPLETED).toBe('The workflow has completed, but the row says ');
  expect(workflowHasCompleted('authorized')).toBe(
    'The workflow has completed, but the row says authorized. Was a database restored?',
  );
});
