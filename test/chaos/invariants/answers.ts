// Every answer was true when it was given, according to the audit trail (architecture, section 3,
// R2): a 200 only for a durable state, a 409 only for a durable state that did not allow the
// request.
import type { Evidence, IntentFacts } from '../report/evidence';
import { problems, checkEach, type Finding } from '../report/finding';
import { readBody, type Answer } from '../actors/record';
import { hasEnded } from './payments';

/**
 * A change has the time at which its statement began, and is visible after its commit. Both are
 * less than this apart unless a fault delays commits.
 */
const SEEN_WITHIN_MS = 5_000;
/** Tolerance between clocks of one machine, which are read in milliseconds. */
const GRAIN_MS = 5;
/**
 * A used token is stored until fifteen minutes after its expiry. Later this check cannot be made.
 */
const TOKEN_RETENTION_MS = 1_200_000;

export function checkAnswers(
  { answers, rows, operatorAnswers, slowCommits }: Evidence,
  nowMs: number,
): readonly Finding[] {
  const of = (operation: Answer['operation'], status: number) =>
    answers.filter((answer) => answer.operation === operation && answer.status === status);
  const rowOf = ({ intentId }: { readonly intentId: string | undefined }) =>
    rows.get(intentId ?? '');
  const check = (name: string, some: readonly Answer[], problemsOf: CheckAnswer) =>
    checkEach(name, some, (answer) => {
      const row = rowOf(answer);
      if (row === undefined)
        return [
          `${answer.operation} ${String(answer.status)} of ${String(answer.intentId)}, which does not exist`,
        ];
      return problemsOf(answer, row, { nowMs, slowCommits });
    });
  return [
    check('200 to GET was true', of('get', 200), untrueStatus),
    check('200 to the status page was true', of('status', 200), untrueStatus),
    checkEach(
      'the status page accepts a token that confirmed',
      answers.filter(({ operation, shiftMs }) => operation === 'status' && shiftMs === 0),
      unknownToStatus(of('confirm', 200)),
    ),
    check('200 to confirm was true', of('confirm', 200), untrueConfirm),
    check('409 to confirm was true', of('confirm', 409), untrueConfirmConflict),
    check('200 to cancel was true', of('cancel', 200), untrueCancel),
    check('409 to cancel was true', of('cancel', 409), untrueCancelConflict),
    checkEach('only one cancel is answered 200', cancelsOf(answers), ([intentId, times]) =>
      problems([times > 1, `${intentId} has ${times} cancels answered 200`]),
    ),
    checkEach('no request is answered 500', answers, ({ status, operation, api, text }) =>
      problems([status === 500, `${api} answered a ${operation} with 500 ${text}`]),
    ),
    checkEach('answers to operators were true', operatorAnswers, (answer) =>
      untrueToOperator(answer, rowOf(answer)),
    ),
  ];
}

interface Known extends Pick<Evidence, 'slowCommits'> {
  readonly nowMs: number;
}

type CheckAnswer = (answer: Answer, row: IntentFacts, known: Known) => readonly string[];

/** The statuses that a reader may have seen between request and answer. */
function visibleStatuses(
  row: IntentFacts,
  { sentAtMs, answeredAtMs }: Answer,
  { slowCommits }: Known,
): readonly string[] {
  const entered = [{ to: 'created', atMs: row.createdAtMs }, ...row.transitions];
  const visible = entered
    .filter(({ atMs }, index) => {
      const leftAtMs = entered[index + 1]?.atMs ?? Number.POSITIVE_INFINITY;
      return atMs <= answeredAtMs + GRAIN_MS && seenByMs(leftAtMs, slowCommits) >= sentAtMs;
    })
    .map(({ to }) => to);
  // Readers show an overdue intent as expired before its row is changed (decision 15).
  const isPast = row.status === 'expired' && answeredAtMs >= row.expiresAtMs;
  return isPast ? [...visible, 'expired'] : visible;
}

/** When a change of that moment is visible to all readers. */
function seenByMs(atMs: number, slowCommits: Known['slowCommits']): number {
  return slowCommits.reduce(
    (byMs, { fromMs, toMs }) =>
      fromMs < byMs && toMs > atMs ? Math.max(byMs, toMs + SEEN_WITHIN_MS) : byMs,
    atMs + SEEN_WITHIN_MS,
  );
}

const untrueStatus: CheckAnswer = (answer, row, known) => {
  const { status = '', amount_usd_cents: cents } = readBody(answer.text);
  const visible = visibleStatuses(row, answer, known);
  return problems(
    [
      !visible.includes(status),
      `${row.intentId}: ${answer.operation} returned ${status} while it was ${visible.join(' or ')}`,
    ],
    [
      cents !== row.cents && answer.operation !== 'status',
      `${row.intentId}: ${answer.operation} returned ${String(cents)} cents`,
    ],
  );
};

/**
 * A token whose confirm was answered 200 can read the status page until it expires (decision 29).
 */
function unknownToStatus(confirms: readonly Answer[]) {
  const answeredAtMsByToken = new Map(
    confirms.map(({ jtiHash, answeredAtMs }) => [jtiHash, answeredAtMs]),
  );
  return ({ status, jtiHash, sentAtMs, intentId }: Answer): readonly string[] =>
    problems([
      status === 401 && (answeredAtMsByToken.get(jtiHash) ?? Number.POSITIVE_INFINITY) < sentAtMs,
      `${String(intentId)}: the status page answered 401 to a token whose confirm was answered 200`,
    ]);
}

/** A 200 means that the token counts: the intent was authorized by then. */
const untrueConfirm: CheckAnswer = (answer, row, known) => {
  const wasAuthorized = row.transitions.some(
    ({ to, atMs }) => to === 'authorized' && atMs <= answer.answeredAtMs + GRAIN_MS,
  );
  const isKnown = known.nowMs - answer.answeredAtMs < TOKEN_RETENTION_MS;
  const isUsed = row.tokens.some(
    ({ jtiHash, isAnswered }) => jtiHash === answer.jtiHash && isAnswered,
  );
  return [
    ...untrueStatus(answer, row, known),
    ...problems(
      [
        !wasAuthorized,
        `${row.intentId}: a confirm was answered 200 before the intent was authorized`,
      ],
      [
        isKnown && !isUsed,
        `${row.intentId}: a confirm was answered 200, but its token is not used`,
      ],
    ),
  ];
};

/**
 * The state did not allow it, and the token has authorized nothing. A second code of a token is
 * also 409.
 */
const untrueConfirmConflict: CheckAnswer = (answer, row, known) => {
  const visible = visibleStatuses(row, answer, known);
  const wasOpen = visible.every((status) => status === 'created' || status === 'authorized');
  const token = row.tokens.find(({ jtiHash }) => jtiHash === answer.jtiHash);
  if (answer.sent !== '') return [];
  return problems(
    [wasOpen, `${row.intentId}: a confirm was answered 409 while it was ${visible.join(' or ')}`],
    [token !== undefined, `${row.intentId}: a confirm was answered 409, but its token was used`],
  );
};

const untrueCancel: CheckAnswer = (answer, row, known) => {
  const { status } = readBody(answer.text);
  return [
    ...untrueStatus(answer, row, known),
    ...problems([
      status !== 'cancelled',
      `${row.intentId}: a cancel was answered 200 ${String(status)}`,
    ]),
  ];
};

/**
 * A cancel is answered 409 only after a terminal status, or after the payout was sent (decision
 * 25).
 */
const untrueCancelConflict: CheckAnswer = (answer, row, known) => {
  const visible = visibleStatuses(row, answer, known);
  const hadEnded = visible.some((status) => hasEnded({ status }));
  const sentAtMs = row.payout?.firstAttemptAtMs ?? Number.POSITIVE_INFINITY;
  const wasSent = sentAtMs <= answer.answeredAtMs + GRAIN_MS;
  return problems([
    !hadEnded && !wasSent,
    `${row.intentId}: a cancel was answered 409 while it was ${visible.join(' or ')} and no payout was sent`,
  ]);
};

function cancelsOf(answers: readonly Answer[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const { operation, status, intentId = '' } of answers) {
    if (operation === 'cancel' && status === 200)
      times.set(intentId, (times.get(intentId) ?? 0) + 1);
  }
  return times;
}

const ENDS = {
  refund: 'refunded',
  'resolve paid': 'captured',
  'resolve declined': 'failed',
  'decline while stopped': 'failed',
} as const;

/** A command reported as done was done by this call; a command reported as rejected was not. */
function untrueToOperator(
  { operation, actor, outcome, intentId }: Evidence['operatorAnswers'][number],
  row: IntentFacts | undefined,
): readonly string[] {
  const isDone = row?.transitions.some(
    ({ to, actor: who }) => to === ENDS[operation] && who === actor,
  );
  return problems(
    [
      outcome === 'done' && isDone !== true,
      `${intentId}: ${operation} by ${actor} was reported as done, but it was not`,
    ],
    [
      outcome === 'rejected' && isDone === true,
      `${intentId}: ${operation} by ${actor} was reported as rejected, but it was done`,
    ],
  );
}
