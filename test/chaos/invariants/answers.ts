// Every answer was true at the moment when it was given, by what the audit trail says today (architecture, section 3, R2):
// 200 only for what durably was, 409 only for what durably did not allow it.
import type { Evidence, IntentFacts } from '../report/evidence';
import { faults, judgeEach, type Finding } from '../report/finding';
import { toldBy, type Answer } from '../actors/record';
import { hasEnded } from './payments';

/**
 * A change is dated when its statement begins and can be seen when it has committed: a statement and a transaction around
 * it take less than this where nothing holds up commits.
 */
const SEEN_WITHIN_MS = 5_000;
/** Clocks of one machine, read in milliseconds. */
const GRAIN_MS = 5;
/** A used token is kept until fifteen minutes past its end. Later nothing can be said of it. */
const TOKEN_KEPT_MS = 1_200_000;

export function checkAnswers(
  { answers, rows, operatorAnswers, slowCommits }: Evidence,
  nowMs: number,
): readonly Finding[] {
  const of = (asked: Answer['asked'], status: number) =>
    answers.filter((answer) => answer.asked === asked && answer.status === status);
  const rowOf = ({ intentId }: { readonly intentId: string | undefined }) =>
    rows.get(intentId ?? '');
  const judge = (name: string, some: readonly Answer[], faultsOf: JudgeAnswer) =>
    judgeEach(name, some, (answer) => {
      const row = rowOf(answer);
      if (row === undefined)
        return [
          `${answer.asked} ${String(answer.status)} of ${String(answer.intentId)}, which is not there`,
        ];
      return faultsOf(answer, row, { nowMs, slowCommits });
    });
  return [
    judge('200 to GET was true', of('get', 200), untrueStatus),
    judge('200 to the status page was true', of('status', 200), untrueStatus),
    judgeEach(
      'the status page knows who confirmed',
      answers.filter(({ asked, shiftMs }) => asked === 'status' && shiftMs === 0),
      unknownToStatus(of('confirm', 200)),
    ),
    judge('200 to confirm was true', of('confirm', 200), untrueConfirm),
    judge('409 to confirm was true', of('confirm', 409), untrueConfirmConflict),
    judge('200 to cancel was true', of('cancel', 200), untrueCancel),
    judge('409 to cancel was true', of('cancel', 409), untrueCancelConflict),
    judgeEach('a cancel is told 200 once', cancelsOf(answers), ([intentId, times]) =>
      faults([times > 1, `${intentId} was told 200 to ${times} cancels`]),
    ),
    judgeEach('nothing is answered 500', answers, ({ status, asked, api, text }) =>
      faults([status === 500, `${api} answered a ${asked} with 500 ${text}`]),
    ),
    judgeEach('operations were told the truth', operatorAnswers, (answer) =>
      untrueToOperations(answer, rowOf(answer)),
    ),
  ];
}

interface Known extends Pick<Evidence, 'slowCommits'> {
  readonly nowMs: number;
}

type JudgeAnswer = (answer: Answer, row: IntentFacts, known: Known) => readonly string[];

/** The statuses that a reader may have seen between sending and being answered. */
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
  // Past its deadline an intent is shown as expired before its row says so (decision 15).
  const isPast = row.status === 'expired' && answeredAtMs >= row.expiresAtMs;
  return isPast ? [...visible, 'expired'] : visible;
}

/** When everybody sees what a statement of that moment changed. */
function seenByMs(atMs: number, slowCommits: Known['slowCommits']): number {
  return slowCommits.reduce(
    (byMs, { fromMs, toMs }) =>
      fromMs < byMs && toMs > atMs ? Math.max(byMs, toMs + SEEN_WITHIN_MS) : byMs,
    atMs + SEEN_WITHIN_MS,
  );
}

const untrueStatus: JudgeAnswer = (answer, row, known) => {
  const { status = '', amount_usd_cents: cents } = toldBy(answer.text);
  const visible = visibleStatuses(row, answer, known);
  return faults(
    [
      !visible.includes(status),
      `${row.intentId}: ${answer.asked} said ${status} where it was ${visible.join(' or ')}`,
    ],
    [
      cents !== row.cents && answer.asked !== 'status',
      `${row.intentId}: ${answer.asked} said ${String(cents)} cents`,
    ],
  );
};

/** The token that was told 200 opens the status page from then on, until its end (decision 29). */
function unknownToStatus(confirms: readonly Answer[]) {
  const toldAtMs = new Map(confirms.map(({ jtiHash, answeredAtMs }) => [jtiHash, answeredAtMs]));
  return ({ status, jtiHash, sentAtMs, intentId }: Answer): readonly string[] =>
    faults([
      status === 401 && (toldAtMs.get(jtiHash) ?? Number.POSITIVE_INFINITY) < sentAtMs,
      `${String(intentId)}: who was told 200 to a confirm was told 401 by the status page`,
    ]);
}

/** "Accepted" means that the payer's token counts: the intent was authorized by then. */
const untrueConfirm: JudgeAnswer = (answer, row, known) => {
  const wasAuthorized = row.transitions.some(
    ({ to, atMs }) => to === 'authorized' && atMs <= answer.answeredAtMs + GRAIN_MS,
  );
  const isKnown = known.nowMs - answer.answeredAtMs < TOKEN_KEPT_MS;
  const isUsed = row.tokens.some(
    ({ jtiHash, isAnswered }) => jtiHash === answer.jtiHash && isAnswered,
  );
  return [
    ...untrueStatus(answer, row, known),
    ...faults(
      [
        !wasAuthorized,
        `${row.intentId}: a confirm was told 200, and it was not authorized by then`,
      ],
      [isKnown && !isUsed, `${row.intentId}: a confirm was told 200, and its token is not used`],
    ),
  ];
};

/** The state did not allow it, and the token has authorized nothing. A code that is not the first is 409 too. */
const untrueConfirmConflict: JudgeAnswer = (answer, row, known) => {
  const visible = visibleStatuses(row, answer, known);
  const wasOpen = visible.every((status) => status === 'created' || status === 'authorized');
  const token = row.tokens.find(({ jtiHash }) => jtiHash === answer.jtiHash);
  if (answer.sent !== '') return [];
  return faults(
    [wasOpen, `${row.intentId}: a confirm was told 409 while it was ${visible.join(' or ')}`],
    [token !== undefined, `${row.intentId}: a confirm was told 409, and its token was used`],
  );
};

const untrueCancel: JudgeAnswer = (answer, row, known) => {
  const { status } = toldBy(answer.text);
  return [
    ...untrueStatus(answer, row, known),
    ...faults([status !== 'cancelled', `${row.intentId}: a cancel was told 200 ${String(status)}`]),
  ];
};

/** It had ended, or its payout had been sent (decision 25). */
const untrueCancelConflict: JudgeAnswer = (answer, row, known) => {
  const visible = visibleStatuses(row, answer, known);
  const hadEnded = visible.some((status) => hasEnded({ status }));
  const sentAtMs = row.payout?.firstAttemptAtMs ?? Number.POSITIVE_INFINITY;
  const wasSent = sentAtMs <= answer.answeredAtMs + GRAIN_MS;
  return faults([
    !hadEnded && !wasSent,
    `${row.intentId}: a cancel was told 409 while it was ${visible.join(' or ')} and nothing was paid out`,
  ]);
};

function cancelsOf(answers: readonly Answer[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const { asked, status, intentId = '' } of answers) {
    if (asked === 'cancel' && status === 200) times.set(intentId, (times.get(intentId) ?? 0) + 1);
  }
  return times;
}

const ENDS = {
  refund: 'refunded',
  'declare paid': 'captured',
  'declare declined': 'failed',
  'decline what is held': 'failed',
} as const;

/** Told that it is done, it was done by this very call; told that it is refused, it was not. */
function untrueToOperations(
  { asked, actor, outcome, intentId }: Evidence['operatorAnswers'][number],
  row: IntentFacts | undefined,
): readonly string[] {
  const isDone = row?.transitions.some(({ to, actor: who }) => to === ENDS[asked] && who === actor);
  return faults(
    [
      outcome === 'done' && isDone !== true,
      `${intentId}: ${actor} was told that to ${asked} was done`,
    ],
    [
      outcome === 'refused' && isDone === true,
      `${intentId}: ${actor} was refused to ${asked}, and it was done`,
    ],
  );
}
