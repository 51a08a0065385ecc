// Every invariant that a life is held to.
import type { Evidence, IntentFacts } from '../chaos/evidence';
import { faults, judgeEach, type Finding } from '../chaos/finding';
import { checkAnswers } from '../chaos/invariants/answers';
import { checkCredentials } from '../chaos/invariants/credentials';
import { checkMoney } from '../chaos/invariants/money';
import { checkPaths } from '../chaos/invariants/paths';
import { paymentsIn } from '../chaos/invariants/payments';
import { checkRuns } from '../chaos/invariants/runs';
import { checkWebhooks } from '../chaos/invariants/webhooks';
import { checkSendings } from './sendings';
import { CENTS } from './world/actors';
import type { Ground } from './world/ground';
import type { Operators } from './world/operators';
import type { People } from './world/stories';

interface Lived {
  readonly ground: Ground;
  readonly people: People;
  /** False where something repeated without end. */
  readonly isEnded: boolean;
}

/** Those of a chaos run that one payment can violate, as the same functions, and those of a life. */
export function checkLife(
  evidence: Evidence,
  { ground: { fibers, faults: met, provider }, people: { operators }, isEnded }: Lived,
): readonly Finding[] {
  const payments = paymentsIn(evidence);
  const falsehoods = falsehoodsIn(evidence, operators);
  const findings = [
    ...checkMoney(evidence, payments),
    ...checkPaths(evidence, payments, [CENTS]),
    ...checkWebhooks(evidence, payments),
    ...checkCredentials(evidence),
    ...checkAnswers(evidence, fibers.nowMs),
    ...checkRuns(evidence, payments),
    ...checkSendings(provider.calls, evidence.rows.values(), operators.stops),
    ...checkFalsehoods(falsehoods, provider),
    takenForPaid(evidence, provider),
    checkEnd(isEnded),
  ];
  const excused = [
    // An attempt that was frozen is recorded as if it had lasted, also where its lease was over and another worker sent it.
    ...(met.some(({ what }) => what.startsWith('the worker freezes')) ? [ONE_AT_A_TIME] : []),
    // While the provider is silent a false declaration looks like a true one. A check of its own demands attention for it.
    ...(falsehoods.length > 0 ? [NOT_GIVEN_BACK] : []),
  ];
  return findings.filter(({ name }) => !excused.includes(name));
}

const ONE_AT_A_TIME = 'of one webhook one attempt is under way at a time';
const NOT_GIVEN_BACK = 'a payout implies a debit';

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

type Falsehood = IntentFacts & { readonly declaredAtMs: number };

function checkFalsehoods(
  falsehoods: readonly Falsehood[],
  { calls }: Ground['provider'],
): readonly Finding[] {
  const isSaid = (one: Falsehood) =>
    calls.some(
      ({ atMs, outcome }) => atMs < one.declaredAtMs && ['paid', 'pending'].includes(outcome),
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

/** A chaos run sees this by the amounts that choose it. */
function takenForPaid({ rows }: Evidence, { isContrary }: Ground['provider']): Finding {
  const name = 'what the provider reports with another amount is not captured, but by an operator';
  return judgeEach(name, isContrary ? rows.values() : [], ({ intentId, transitions }) =>
    faults([
      transitions.some(({ to, actor }) => to === 'captured' && actor === 'system'),
      `${intentId} is captured, and the provider reports another amount`,
    ]),
  );
}
