// What may be used once is used once: nonces, token ids, idempotency keys; and what is out of its time is refused (protocol 3.4,
// 4.7 and 5.3).
import type { Evidence } from '../report/evidence';
import { faults, grouped, judgeEach, type Finding } from '../report/finding';
import { toldBy, type Answer } from '../actors/record';

/** Step 3 of protocol 3.4, and what reading a clock and answering may take. */
const SKEW_MAX_MS = 300_000 + 1_000;

export function checkCredentials({ answers, rows }: Evidence): readonly Finding[] {
  const byNonce = grouped(answers, ({ nonce }) => nonce);
  const byToken = grouped(
    answers.filter(({ asked }) => asked === 'confirm'),
    ({ jtiHash }) => jtiHash,
  );
  const byKey = grouped(
    answers.filter(({ asked }) => asked === 'create'),
    ({ idempotencyKey }) => idempotencyKey,
  );
  const byUser = grouped(rows.values(), ({ userId }) => userId);
  return [
    judgeEach('no nonce is accepted twice', byNonce, ([nonce, all]) => {
      const accepted = all.filter(isAccepted);
      return faults([accepted.length > 1, `${nonce} was accepted ${accepted.length} times`]);
    }),
    judgeEach('no jti is accepted twice', byToken, ([jtiHash, all]) => {
      const accepted = all.filter(({ status }) => status === 200);
      return faults([accepted.length > 1, `${jtiHash} was answered 200 ${accepted.length} times`]);
    }),
    judgeEach('one idempotency key is one intent and one answer', byKey, ([key, all]) =>
      differentAnswers(key, all),
    ),
    judgeEach('one create is one intent', byUser, ([userId, intents]) =>
      faults([intents.length > 1, `${userId} has ${intents.length} intents`]),
    ),
    judgeEach(
      'out of its time, a signed request is refused',
      answers.filter(
        ({ signedAtMs, shiftMs }) => signedAtMs !== undefined && shiftMs !== undefined,
      ),
      acceptedOutOfTime,
    ),
  ];
}

/** Authenticated, whatever became of it. Of a 503 nobody knows. */
function isAccepted({ status }: Answer): boolean {
  return status !== undefined && status !== 401 && status < 500;
}

function differentAnswers(key: string, all: readonly Answer[]): readonly string[] {
  const created = all.filter(({ status }) => status === 201);
  const texts = new Set(created.map(({ text }) => text));
  const ids = new Set(created.map(({ text }) => toldBy(text).intent_id));
  return faults(
    [ids.size > 1, `${key} made ${ids.size} intents`],
    [texts.size > 1, `${key} was answered in ${texts.size} ways`],
  );
}

function acceptedOutOfTime(answer: Answer): readonly string[] {
  const { signedAtMs = 0, shiftMs = 0, sentAtMs, answeredAtMs, api, asked } = answer;
  // The API has looked at its clock at some moment in between.
  const isLate = sentAtMs + shiftMs - signedAtMs > SKEW_MAX_MS;
  const isEarly = signedAtMs - (answeredAtMs + shiftMs) > SKEW_MAX_MS;
  return faults([
    (isLate || isEarly) && isAccepted(answer),
    `${api}, ${shiftMs} ms off, took a ${asked} that was signed ${signedAtMs - sentAtMs} ms off`,
  ]);
}
