// Every invariant that a life is held to.
import type { Evidence, IntentFacts } from '../../chaos/report/evidence';
import { faults, judgeEach, type Finding } from '../../chaos/report/finding';
import { checkAnswers } from '../../chaos/invariants/answers';
import { checkCredentials } from '../../chaos/invariants/credentials';
import { checkMoney } from '../../chaos/invariants/money';
import { checkPaths } from '../../chaos/invariants/paths';
import { intentOf, paymentsIn, type Payment } from '../../chaos/invariants/payments';
import { checkRuns } from '../../chaos/invariants/runs';
import { checkWebhooks } from '../../chaos/invariants/webhooks';
import { checkLosses, checkRestored, type Stop } from './losses';
import { checkSendings } from './sendings';
import type { Ground } from '../world/ground';
import type { Operators } from '../world/operators';
import { CLOCK_AHEAD } from '../world/postgres';
import type { People } from '../world/stories';

interface Lived {
  readonly ground: Ground;
  readonly people: People;
  readonly stops: readonly Stop[];
  /** False where something repeated without end. */
  readonly isEnded: boolean;
}

/** Those of a chaos run that one payment can violate, as the same functions, and those of a life. */
export function checkLife(
  evidence: Evidence,
  { ground, people: { payer, operators }, isEnded, stops }: Lived,
): readonly Finding[] {
  const { fibers, faults: met, provider, endpoint, backup } = ground;
  const payments = paymentsIn(evidence);
  const falsehoods = falsehoodsIn(evidence, operators);
  const findings = [
    ...checkMoney(evidence, payments),
    ...checkPaths(evidence, payments, [payer.cents]),
    ...checkWebhooks(evidence, payments),
    ...checkCredentials(evidence),
    ...checkAnswers(evidence, fibers.nowMs),
    ...checkRuns(evidence, payments),
    ...checkSendings(provider.calls, { rows: evidence.rows.values(), stops, leapMs: leapIn(met) }),
    ...checkFalsehoods(falsehoods, ground),
    takenForPaid(evidence, provider),
    paidAgainstItsWord(evidence, provider),
    checkGivenUp(payments, endpoint),
    checkEnd(isEnded),
  ];
  const always = [checkAuthority(evidence), ...checkLosses(evidence, ground, stops)];
  if (backup.putBackAtMs !== undefined) {
    return [
      ...findings.filter(({ name }) => HOLD_AFTER_RESTORE.includes(name)),
      ...always,
      checkRestored(evidence, stops, ground),
    ];
  }
  const excused = [
    // An attempt that was frozen is recorded as if it had lasted, also where its lease was over and another worker sent it.
    ...(met.some(({ what }) => what.startsWith('the worker freezes')) ? [ONE_AT_A_TIME] : []),
    // While the provider is silent a false declaration looks like a true one. A check of its own demands attention for it.
    ...(falsehoods.length > 0 || provider.isLying ? [NOT_GIVEN_BACK] : []),
    ...(endpoint.kind === 'takes everything' ? [] : DELIVERED),
    // They hold instants of one clock against those of another, or of before.
    ...(met.some(({ what }) => what.startsWith('its clock'))
      ? findings.map(({ name }) => name).filter(isAboutTime)
      : []),
  ];
  return [...findings, ...always].filter(({ name }) => !excused.includes(name));
}

/** From 1.5 s behind to 1.5 s ahead. */
const CLOCK_LEAP_MS = 3_000;
const leapIn = (met: Ground['faults']) =>
  met.some(({ what }) => what === CLOCK_AHEAD) ? CLOCK_LEAP_MS : 0;

const ABOUT_TIME: readonly string[] = [
  'every intent takes a path of the table',
  'nothing is sent once the payment has ended',
];
const isAboutTime = (name: string) => name.endsWith(' was true') || ABOUT_TIME.includes(name);
const ONE_AT_A_TIME = 'of one webhook one attempt is under way at a time';
const NOT_GIVEN_BACK = 'a payout implies a debit';

/** Answers and webhooks of before may say what the rows no longer do; these still hold. */
const HOLD_AFTER_RESTORE: readonly string[] = [
  'at most one debit and one payout per intent',
  'the ledger sums to zero',
  'nothing is answered 500',
  'no workflow broke',
  'nothing is sent again before the provider was queried',
  'one sending at a time',
  'nothing is sent while payouts are stopped',
  'every life comes to an end',
];

/** By a token of the payer, or by operations in a name of theirs. */
function checkAuthority({ rows }: Evidence): Finding {
  const authorized = [...rows.values()].flatMap(({ intentId, tokens, transitions }) =>
    transitions
      .filter(({ to }) => to === 'authorized')
      .map(({ actor }) => ({ intentId, tokens, actor })),
  );
  return judgeEach('what is authorized has a token, or a name', authorized, (one) =>
    faults([
      one.actor === 'payer' ? one.tokens.length === 0 : !one.actor.startsWith('operator-'),
      `${one.intentId} was authorized by ${one.actor} with ${String(one.tokens.length)} tokens`,
    ]),
  );
}

const DELIVERED: readonly string[] = [
  'each settled or failed intent has its webhook, with one id',
  'every webhook event is delivered in the end',
];
const ATTEMPTS_MAX = 10;

/** By decision 19: after 410, or after the last attempt of the schedule. Each fault of a life may cost one attempt. */
function checkGivenUp(payments: readonly Payment[], { kind }: Ground['endpoint']): Finding {
  const events = payments.flatMap((payment) => payment.events);
  const isLasting = kind !== 'takes everything';
  return judgeEach('what an endpoint never takes is given up', isLasting ? events : [], (event) =>
    faults(
      [event.state !== 'exhausted', `${event.eventId} is ${event.state}`],
      [
        kind === 'answers 410' && event.attempts >= ATTEMPTS_MAX,
        `${event.eventId} was tried ${String(event.attempts)} times, and the endpoint answers 410`,
      ],
    ),
  );
}

function checkEnd(isEnded: boolean): Finding {
  return judgeEach('every life comes to an end', [isEnded], () =>
    faults([!isEnded, 'something repeats without end']),
  );
}

/** False declarations that ended a payment: a chaos run has none that is accepted. */
function falsehoodsIn({ rows }: Evidence, { liars }: Operators): readonly Falsehood[] {
  return [...rows.values()].flatMap((row) =>
    row.transitions
      .filter(({ actor }) => liars.includes(actor))
      .map(({ atMs }) => ({ ...row, declaredAtMs: atMs })),
  );
}

/** From the answer of the provider to the end of the statement that records it. */
const RECORDED_WITHIN_MS = 5;

type Falsehood = IntentFacts & { readonly declaredAtMs: number };

function checkFalsehoods(
  falsehoods: readonly Falsehood[],
  { provider: { calls }, faults: met }: Ground,
): readonly Finding[] {
  // An answer is known to nothing where the worker dies before it has recorded that.
  const isRecorded = (endedAtMs: number) =>
    !met.some(
      ({ what, atMs }) =>
        what === 'the worker dies' && atMs >= endedAtMs && atMs <= endedAtMs + RECORDED_WITHIN_MS,
    );
  const isSaid = (one: Falsehood) =>
    calls.some(
      ({ atMs, endedAtMs, outcome }) =>
        atMs < one.declaredAtMs && ['paid', 'pending'].includes(outcome) && isRecorded(endedAtMs),
    );
  return [
    judgeEach('no declaration is accepted against the word of the provider', falsehoods, (one) =>
      faults([isSaid(one), `${one.intentId} was declared declined against the provider's answer`]),
    ),
    judgeEach('a false declaration needs attention in the end', falsehoods, (one) =>
      faults([
        one.attention === null,
        `${one.intentId} was declared falsely, and raises no attention`,
      ]),
    ),
  ];
}

/** Found by `payctl reconcile`. */
function paidAgainstItsWord({ rows, journal }: Evidence, { isLying }: Ground['provider']): Finding {
  const name = 'what the provider declines and pays needs attention in the end';
  const paid = journal.flatMap(({ key }) => rows.get(intentOf(key)) ?? []);
  return judgeEach(name, isLying ? paid : [], ({ intentId, status, attention }) =>
    faults([
      !['captured', 'refunded'].includes(status) && attention === null,
      `${intentId} is ${status}, was paid, and raises no attention`,
    ]),
  );
}

/** A chaos run sees this by the amounts that choose it. */
function takenForPaid({ rows }: Evidence, { hasAmountMismatch }: Ground['provider']): Finding {
  const name = 'what the provider reports with another amount is not captured, but by an operator';
  return judgeEach(name, hasAmountMismatch ? rows.values() : [], ({ intentId, transitions }) =>
    faults([
      transitions.some(({ to, actor }) => to === 'captured' && actor === 'system'),
      `${intentId} is captured, and the provider reports another amount`,
    ]),
  );
}
