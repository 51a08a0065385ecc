// All invariants that a simulated life must keep.
import type { Evidence, IntentFacts } from '../../chaos/report/evidence';
import { problems, checkEach, type Finding } from '../../chaos/report/finding';
import { checkAnswers } from '../../chaos/invariants/answers';
import { checkCredentials } from '../../chaos/invariants/credentials';
import { checkMoney } from '../../chaos/invariants/money';
import { checkPaths } from '../../chaos/invariants/paths';
import { intentOf, paymentsIn, type Payment } from '../../chaos/invariants/payments';
import { checkWorkflows } from '../../chaos/invariants/workflows';
import { checkWebhooks } from '../../chaos/invariants/webhooks';
import { checkLosses, checkRestored, isUnnoticed, type Stop } from './losses';
import { checkSendings, QUERY_FIRST } from './sendings';
import type { World } from '../world/world';
import type { Operators } from '../world/operators';
import { SCANNED_CODE } from '../world/partner-and-payer';
import { CLOCK_AHEAD } from '../world/postgres';
import type { Actors } from '../world/stories';

interface LifeResult {
  readonly world: World;
  readonly actors: Actors;
  readonly stops: readonly Stop[];
  /** False when something repeated without end. */
  readonly isEnded: boolean;
}

/**
 * Checks the invariants of a chaos run that one payment can violate, and those of simulated lives.
 */
export function checkLife(
  evidence: Evidence,
  { world, actors: { operators }, isEnded, stops }: LifeResult,
): readonly Finding[] {
  const { fibers, faults: met, provider, endpoint, backup } = world;
  const payments = paymentsIn(evidence);
  const falsehoods = falsehoodsIn(evidence, operators, world.postgres);
  const findings = [
    ...checkMoney(evidence, payments),
    ...checkPaths(evidence, payments),
    ...checkWebhooks(evidence, payments),
    ...checkCredentials(evidence),
    ...checkAnswers(evidence, fibers.nowMs),
    ...checkWorkflows(evidence, payments),
    ...checkSendings(provider.calls, {
      ...{ rows: evidence.rows.values(), stops, leapMs: leapIn(met) },
      isFoundByKey: provider.isFoundByKey,
    }),
    ...checkFalsehoods(falsehoods, world),
    ...checkContradictions(evidence, provider),
    checkExhausted(payments, endpoint),
    checkEnd(isEnded),
  ];
  const always = [
    checkAuthority(evidence),
    checkCodes(evidence, provider),
    checkCosts(provider),
    ...checkLosses(evidence, world, stops),
  ];
  if (backup.putBackAtMs !== undefined) {
    const holds = ({ name }: Finding) =>
      HOLD_AFTER_RESTORE.includes(name) && !(name === QUERY_FIRST && isUnnoticed(world, stops));
    return [...findings.filter(holds), ...always, checkRestored(evidence, stops, world)];
  }
  const excused = [
    // A frozen attempt is recorded with its whole duration, although its lease had expired and
    // another worker sent the event.
    ...(met.some(({ what }) => what.startsWith('the worker freezes')) ? [ONE_AT_A_TIME] : []),
    // While the provider is silent a false manual resolution looks true. A separate check demands
    // attention for it.
    ...(falsehoods.length > 0 || provider.isLying ? [NOT_GIVEN_BACK] : []),
    ...(endpoint.kind === 'accepts everything' ? [] : DELIVERED),
    // After a clock jump, checks that compare times of two clocks are not valid.
    ...(met.some(({ what }) => what.startsWith('its clock'))
      ? findings.map(({ name }) => name).filter(isAboutTime)
      : []),
  ];
  return [...findings, ...always].filter(({ name }) => !excused.includes(name));
}

/** The largest jump: from 1.5 s behind to 1.5 s ahead. */
const CLOCK_LEAP_MS = 3_000;
const leapIn = (met: World['faults']) =>
  met.some(({ what }) => what === CLOCK_AHEAD) ? CLOCK_LEAP_MS : 0;

const ABOUT_TIME: readonly string[] = [
  'every intent follows the transition table',
  'nothing is sent after a terminal status',
];
const isAboutTime = (name: string) => name.endsWith(' was true') || ABOUT_TIME.includes(name);
const ONE_AT_A_TIME = 'a webhook event has one attempt under way at a time';
const NOT_GIVEN_BACK = 'a payout implies a debit';

/**
 * After a restore, earlier answers and webhooks may contradict the rows. These invariants still
 * hold.
 */
const HOLD_AFTER_RESTORE: readonly string[] = [
  'at most one debit and one payout per intent',
  'the ledger sums to zero',
  'no request is answered 500',
  'no workflow threw or failed to replay',
  QUERY_FIRST,
  'one sending at a time',
  'nothing is sent while payouts are stopped',
  'every life terminates',
];

/** The payer authorizes with a token, operators with their name. */
function checkAuthority({ rows }: Evidence): Finding {
  const authorized = [...rows.values()].flatMap(({ intentId, tokens, transitions }) =>
    transitions
      .filter(({ to }) => to === 'authorized')
      .map(({ actor }) => ({ intentId, tokens, actor })),
  );
  return checkEach('every authorization has a token or a named operator', authorized, (one) =>
    problems([
      one.actor === 'payer' ? one.tokens.length === 0 : !one.actor.startsWith('operator-'),
      `${one.intentId} was authorized by ${one.actor} with ${String(one.tokens.length)} tokens`,
    ]),
  );
}

function checkCodes({ rows }: Evidence, provider: World['provider']): Finding {
  const name = 'what the payer has confirmed is sent with the scanned code';
  const byPayer = [...rows.values()]
    .flatMap(({ transitions }) => transitions)
    .find(({ to, actor }) => to === 'authorized' && actor === 'payer');
  const sent = provider.sent.filter(({ atMs }) => byPayer !== undefined && atMs >= byPayer.atMs);
  return checkEach(name, sent, ({ code }) =>
    problems([code !== SCANNED_CODE, 'an order without the scanned code was sent']),
  );
}

function checkCosts({ sent }: World['provider']): Finding {
  return checkEach('no order is sent that costs more than its bound', sent, ({ isTooDear }) =>
    problems([isTooDear, 'an order that costs too much was sent']),
  );
}

const DELIVERED: readonly string[] = [
  'each settled or failed intent has its webhook, with one id',
  'every webhook event is delivered in the end',
];
const ATTEMPTS_MAX = 10;

/**
 * Decision 19: exhausted after a 410, or after the last attempt. Each fault of a life may cost one
 * attempt.
 */
function checkExhausted(payments: readonly Payment[], { kind }: World['endpoint']): Finding {
  const events = payments.flatMap((payment) => payment.events);
  const isLasting = kind !== 'accepts everything';
  return checkEach(
    'an event that its endpoint never accepts is exhausted',
    isLasting ? events : [],
    (event) =>
      problems(
        [event.state !== 'exhausted', `${event.eventId} is ${event.state}`],
        [
          kind === 'answers 410' && event.attempts >= ATTEMPTS_MAX,
          `${event.eventId} was tried ${String(event.attempts)} times, although the endpoint answers 410`,
        ],
      ),
  );
}

function checkEnd(isEnded: boolean): Finding {
  return checkEach('every life terminates', [isEnded], () =>
    problems([!isEnded, 'something repeats without end']),
  );
}

/** False manual resolutions that ended a payment. A chaos run accepts none. */
function falsehoodsIn(
  { rows }: Evidence,
  { falseOperators }: Operators,
  { committedAtMs }: World['postgres'],
): readonly Falsehood[] {
  return [...rows.values()].flatMap((row) =>
    row.transitions
      .filter(({ actor }) => falseOperators.includes(actor))
      .map(({ atMs }) => ({ ...row, resolvedAtMs: committedAtMs(atMs) })),
  );
}

/** The longest time from a provider answer to the end of the statement that records it. */
const RECORDED_WITHIN_MS = 5;

type Falsehood = IntentFacts & { readonly resolvedAtMs: number };

function checkFalsehoods(
  falsehoods: readonly Falsehood[],
  { provider: { calls }, faults: met }: World,
): readonly Finding[] {
  // An answer is lost when the worker dies before it has recorded it.
  const isRecorded = (endedAtMs: number) =>
    !met.some(
      ({ what, atMs }) =>
        what === 'the worker dies' && atMs >= endedAtMs && atMs <= endedAtMs + RECORDED_WITHIN_MS,
    );
  // An earlier answer is overridden by the operator's word that the provider is gone.
  const isSaid = (one: Falsehood) => {
    const newest = calls.findLast(({ atMs }) => atMs < one.resolvedAtMs);
    const isSaying = newest !== undefined && ['paid', 'pending'].includes(newest.outcome);
    return isSaying && isRecorded(newest.endedAtMs);
  };
  return [
    checkEach('no manual resolution is accepted against a provider answer', falsehoods, (one) =>
      problems([isSaid(one), `${one.intentId} was resolved as declined against a provider answer`]),
    ),
    checkEach('a false manual resolution needs attention in the end', falsehoods, (one) =>
      problems([
        one.attention === null,
        `${one.intentId} was resolved falsely, and raises no attention`,
      ]),
    ),
  ];
}

function checkContradictions(evidence: Evidence, provider: World['provider']) {
  const checks = [capturedWithMismatch, paidAfterDecline, returnedAfterCapture];
  return checks.map((check) => check(evidence, provider));
}

/** `payctl reconcile` has to find such a payout. */
function paidAfterDecline({ rows, journal }: Evidence, { isLying }: World['provider']): Finding {
  const name = 'a payout that the provider declines and pays needs attention in the end';
  const paid = journal.flatMap(({ key }) => rows.get(intentOf(key)) ?? []);
  return checkEach(name, isLying ? paid : [], ({ intentId, status, attention }) =>
    problems([
      !['captured', 'refunded'].includes(status) && attention === null,
      `${intentId} is ${status}, was paid, and raises no attention`,
    ]),
  );
}

function returnedAfterCapture({ rows }: Evidence, { isGivingBack }: World['provider']): Finding {
  const name = 'money that came back after the capture needs attention in the end';
  return checkEach(name, isGivingBack ? rows.values() : [], ({ intentId, status, attention }) =>
    problems([status === 'captured' && attention === null, `${intentId} raises no attention`]),
  );
}

/** A chaos run checks this by its scenario amounts. */
function capturedWithMismatch(
  { rows }: Evidence,
  { hasAmountMismatch }: World['provider'],
): Finding {
  const name = 'a payout with an amount mismatch is captured only by an operator';
  return checkEach(name, hasAmountMismatch ? rows.values() : [], ({ intentId, transitions }) =>
    problems([
      transitions.some(({ to, actor }) => to === 'captured' && actor === 'system'),
      `${intentId} is captured, although the provider reports another amount`,
    ]),
  );
}
