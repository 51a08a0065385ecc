// Every intent follows the transition table to one terminal status (protocol 2.3), and stays
// visible until then.
import type { Evidence, IntentFacts } from '../report/evidence';
import { problems, checkEach, type Finding } from '../report/finding';
import { readBody } from '../actors/record';
import { hasEnded, type Payment } from './payments';

/** Written by hand, because a wrong table in the product would agree with itself. */
const EDGES: readonly string[] = [
  'created>authorized',
  'created>expired',
  'created>cancelled',
  'authorized>captured',
  'authorized>failed',
  'authorized>cancelled',
  'captured>refunded',
];

export function checkPaths(
  { rows, answers, readings }: Evidence,
  payments: readonly Payment[],
): readonly Finding[] {
  const created = answers.filter(
    ({ operation, status }) => operation === 'create' && status === 201,
  );
  return [
    checkEach(
      'every 201 names an intent that exists as answered',
      created,
      ({ intentId, text, sent }) => {
        const row = rows.get(intentId ?? '');
        return row === undefined
          ? [`${String(intentId)} was answered 201 and does not exist`]
          : differsFromCreated(row, text, sent);
      },
    ),
    checkEach('every intent follows the transition table', payments, offTheTable),
    checkEach('every intent has a terminal status or needs attention', payments, (payment) =>
      leftOpen(payment),
    ),
    checkEach('GET agrees with the row', payments, (payment) => {
      const reading = readings.get(payment.intentId);
      return problems(
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
  const answered = readBody(text);
  const sentBody = readBody(sent);
  return problems(
    [answered.status !== 'created', `${row.intentId} was answered 201 ${String(answered.status)}`],
    [
      answered.amount_usd_cents !== row.cents || sentBody.amount_usd_cents !== row.cents,
      `${row.intentId} was requested with ${String(sentBody.amount_usd_cents)} cents, answered with ${String(answered.amount_usd_cents)}, and has ${row.cents}`,
    ],
    [
      answered.corridor !== row.corridor || sentBody.corridor !== row.corridor,
      `${row.intentId} was answered with ${String(answered.corridor)} and goes to ${row.corridor}`,
    ],
  );
}

function offTheTable({ intentId, status, transitions }: Payment): readonly string[] {
  const visited = ['created', ...transitions.map(({ to }) => to)];
  const steps = transitions.map(({ from, to }) => `${from}>${to}`);
  const walked = transitions.map(({ to }, index) => `${String(visited[index])}>${to}`);
  return problems(
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

function leftOpen(payment: Payment): readonly string[] {
  const { intentId, status, cents, attention, isForPeople } = payment;
  if (hasEnded(payment)) return [];
  return problems(
    [!isForPeople, `${intentId} (${cents} cents) is still ${status}`],
    [isForPeople && attention === null, `${intentId} is ${status}, without attention`],
  );
}
