// Every intent comes to one end along the table (protocol 2.3), and stays
// visible until it has.
import type { Evidence, IntentFacts } from '../report/evidence';
import { faults, judgeEach, type Finding } from '../report/finding';
import { toldBy } from '../actors/record';
import { hasEnded, type Payment } from './payments';

/** Written down by hand, so that a wrong table in the product does not agree with itself. */
const EDGES: readonly string[] = [
  'created>authorized',
  'created>expired',
  'created>cancelled',
  'authorized>captured',
  'authorized>failed',
  'authorized>cancelled',
  'captured>refunded',
];

/** @param staysVisible the amounts whose payments people have to decide */
export function checkPaths(
  { rows, answers, readings }: Evidence,
  payments: readonly Payment[],
  staysVisible: readonly number[],
): readonly Finding[] {
  const created = answers.filter(({ asked, status }) => asked === 'create' && status === 201);
  return [
    judgeEach('every 201 is an intent, as it was told', created, ({ intentId, text, sent }) => {
      const row = rows.get(intentId ?? '');
      return row === undefined
        ? [`${String(intentId)} was answered 201 and is not there`]
        : differsFromCreated(row, text, sent);
    }),
    judgeEach('every intent takes a path of the table', payments, offTheTable),
    judgeEach('every intent has ended, or waits for people', payments, (payment) =>
      leftOpen(payment, staysVisible),
    ),
    judgeEach('GET says what the row says', payments, (payment) => {
      const reading = readings.get(payment.intentId);
      return faults(
        [
          reading?.status !== payment.status,
          `${payment.intentId} is ${payment.status}; GET says ${String(reading?.status ?? reading?.httpStatus)}`,
        ],
        [
          reading?.capturedAtMs !==
            (payment.status === 'captured' ? payment.capturedAtMs : undefined),
          `${payment.intentId} is ${payment.status}; GET says captured_at ${String(reading?.capturedAtMs)}`,
        ],
      );
    }),
  ];
}

function differsFromCreated(row: IntentFacts, text: string, sent: string): readonly string[] {
  const told = toldBy(text);
  const asked = toldBy(sent);
  return faults(
    [told.status !== 'created', `${row.intentId} was answered 201 ${String(told.status)}`],
    [
      told.amount_usd_cents !== row.cents || asked.amount_usd_cents !== row.cents,
      `${row.intentId} was asked for with ${String(asked.amount_usd_cents)} cents, told with ${String(told.amount_usd_cents)}, and has ${row.cents}`,
    ],
    [
      told.corridor !== row.corridor || asked.corridor !== row.corridor,
      `${row.intentId} was told with ${String(told.corridor)} and goes to ${row.corridor}`,
    ],
  );
}

function offTheTable({ intentId, status, transitions }: Payment): readonly string[] {
  const visited = ['created', ...transitions.map(({ to }) => to)];
  const steps = transitions.map(({ from, to }) => `${from}>${to}`);
  const walked = transitions.map(({ to }, index) => `${String(visited[index])}>${to}`);
  return faults(
    [steps.join() !== walked.join(), `${intentId} went ${steps.join(', ')}`],
    [
      !steps.every((step) => EDGES.includes(step)),
      `${intentId} left the table: ${steps.join(', ')}`,
    ],
    [
      visited.at(-1) !== status,
      `${intentId} is ${status}, and its last step led to ${String(visited.at(-1))}`,
    ],
  );
}

function leftOpen(payment: Payment, staysVisible: readonly number[]): readonly string[] {
  const { intentId, status, cents, attention } = payment;
  if (hasEnded(payment)) return [];
  const isForPeople = status === 'authorized' && staysVisible.includes(cents);
  return faults(
    [!isForPeople, `${intentId} (${cents} cents) is still ${status}`],
    [isForPeople && attention === null, `${intentId} is ${status}, and nobody is told`],
  );
}
