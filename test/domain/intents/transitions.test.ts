// The transition table (protocol 2.3) and rule R1 (architecture, section 3). The expected tables
// are written by hand from the protocol.
import {
  canAdopt,
  INTENT_EVENTS,
  isReachable,
  isSettled,
  nextStatus,
  parseIntentStatus,
} from '../../../src/domain/intents/transitions';
import { INTENT_STATUSES, type IntentStatus } from '../../../src/domain/intents/payment-intent';

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

/** The statuses that each status can lead to, itself included. */
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

describe('the reachable statuses of an intent', () => {
  it.each(PAIRS)('from %s, %s is reachable or not as the table says', (from, to) => {
    expect(isReachable(from, to)).toBe(REACHABLE[from].includes(to));
  });

  it.each(INTENT_STATUSES)('%s settles a payment, unless it is created or authorized', (one) => {
    expect(isSettled(one)).toBe(!['created', 'authorized'].includes(one));
  });
});

/** From `created` the workflow has moved no money. */
const ANY_LATER = INTENT_STATUSES.filter((status) => status !== 'created');

/** Rule R1: for every edge of the table, the row statuses that its workflow may adopt. */
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

describe('rule R1: a workflow adopts a later status of its row, but no contradiction', () => {
  it.each(ADOPTIONS)(
    'a step from %s to %s adopts a row that says %s: %s',
    (from, target, row, expected) => {
      expect(canAdopt({ from, target, row })).toBe(expected);
    },
  );
});

describe('a status from outside', () => {
  it.each(INTENT_STATUSES)('is parsed: %s', (status) => {
    expect(parseIntentStatus(status)).toBe(status);
  });

  it.each(['', 'Created', 'created ', 'pending'])('is rejected: "%s"', (text) => {
    expect(() => parseIntentStatus(text)).toThrow('not an intent status');
  });
});
