// Nonces, token ids and idempotency keys count only once, and requests outside their time window
// are rejected (protocol 3.4, 4.7 and 5.3).
import type { Evidence } from '../report/evidence';
import { problems, grouped, checkEach, type Finding } from '../report/finding';
import { readBody, type Answer } from '../actors/record';

/** The tolerance of protocol 3.4, step 3, plus a second to read the clock and answer. */
const SKEW_MAX_MS = 300_000 + 1_000;

export function checkCredentials({ answers, rows }: Evidence): readonly Finding[] {
  const byNonce = grouped(answers, ({ nonce }) => nonce);
  const byToken = grouped(
    answers.filter(({ operation }) => operation === 'confirm'),
    ({ jtiHash }) => jtiHash,
  );
  const byKey = grouped(
    answers.filter(({ operation }) => operation === 'create'),
    ({ idempotencyKey }) => idempotencyKey,
  );
  const byUser = grouped(rows.values(), ({ userId }) => userId);
  return [
    checkEach('no nonce is accepted twice', byNonce, ([nonce, all]) => {
      const accepted = all.filter(isAccepted);
      return problems([accepted.length > 1, `${nonce} was accepted ${accepted.length} times`]);
    }),
    checkEach('no jti is accepted twice', byToken, ([jtiHash, all]) => {
      const accepted = all.filter(({ status }) => status === 200);
      return problems([
        accepted.length > 1,
        `${jtiHash} was answered 200 ${accepted.length} times`,
      ]);
    }),
    checkEach('an idempotency key has one intent and one answer', byKey, ([key, all]) =>
      differentAnswers(key, all),
    ),
    checkEach('a create makes one intent', byUser, ([userId, intents]) =>
      problems([intents.length > 1, `${userId} has ${intents.length} intents`]),
    ),
    checkEach(
      'a signed request outside its time window is rejected',
      answers.filter(
        ({ signedAtMs, shiftMs }) => signedAtMs !== undefined && shiftMs !== undefined,
      ),
      acceptedOutOfTime,
    ),
  ];
}

/** Accepted means authenticated, whatever the result. After a 503 it is unknown. */
function isAccepted({ status }: Answer): boolean {
  return status !== undefined && status !== 401 && status < 500;
}

function differentAnswers(key: string, all: readonly Answer[]): readonly string[] {
  const created = all.filter(({ status }) => status === 201);
  const texts = new Set(created.map(({ text }) => text));
  const ids = new Set(created.map(({ text }) => readBody(text).intent_id));
  return problems(
    [ids.size > 1, `${key} made ${ids.size} intents`],
    [texts.size > 1, `${key} was answered in ${texts.size} ways`],
  );
}

function acceptedOutOfTime(answer: Answer): readonly string[] {
  const { signedAtMs = 0, shiftMs = 0, sentAtMs, answeredAtMs, api, operation } = answer;
  // The API has read its clock at some moment between request and answer.
  const isLate = sentAtMs + shiftMs - signedAtMs > SKEW_MAX_MS;
  const isEarly = signedAtMs - (answeredAtMs + shiftMs) > SKEW_MAX_MS;
  return problems([
    (isLate || isEarly) && isAccepted(answer),
    `${api}, ${shiftMs} ms off, accepted a ${operation} that was signed ${signedAtMs - sentAtMs} ms off`,
  ]);
}
