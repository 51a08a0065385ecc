// Runs the checks of a provider, and says what they prove. Nothing is ordered unless the provider
// says that it is a sandbox.
import { runChecks, type Check, type CheckResult } from '../check';
import type { Outbound } from '../../../http/outbound';
import { answerChecks } from './answer-checks';
import { createBooks } from './books';
import { createCaller, newKey, type Caller, type Target, type Timing } from './caller';
import { lostChecks } from './lost-checks';
import { outcomeChecks } from './outcome-checks';
import { repeatChecks } from './repeat-checks';
import { termChecks } from './term-checks';

export interface Certification {
  readonly results: readonly CheckResult[];
  readonly verdict: {
    readonly isCertified: boolean;
    /** Whether a query by key says what became of an order whose answer is lost. */
    readonly resolvesUnknown: boolean;
  };
}

const LOST_ANSWERS = 'Lost answers';
/** The first check, without which no other proves anything. */
const ANSWERS = 'Answers';
const GROUPS = [
  ['One key, one payment', repeatChecks],
  [LOST_ANSWERS, lostChecks],
  ['Outcomes', outcomeChecks],
  ['Quotes, codes, amounts, credential', termChecks],
] as const;
/** In these groups each check counts for the verdict on unknown outcomes. */
const RESOLVING = [ANSWERS, LOST_ANSWERS];

/** Why nothing may be ordered; undefined for a sandbox. */
export async function denialOf(caller: Caller): Promise<string | undefined> {
  const balance = await caller.balance();
  if (balance === undefined) return 'GET /balance did not answer a balance.';
  return balance.environment === 'sandbox'
    ? undefined
    : 'GET /balance does not say "environment": "sandbox", so nothing is ordered.';
}

export function callerFor(outbound: Outbound, target: Target, timing: Timing): Caller {
  return createCaller(outbound, target, timing);
}

export async function certify(caller: Caller): Promise<Certification> {
  const subject = { caller, books: createBooks(caller), key: newKey() };
  const results = [...(await runChecks(ANSWERS, answerChecks(subject)))];
  const isPointless = results[0]?.outcome !== 'passed';
  for (const [name, checksOf] of GROUPS) {
    for (const check of checksOf(subject)) {
      results.push(...(isPointless ? [skipped(name, check)] : await runChecks(name, [check])));
    }
  }
  return { results, verdict: verdictOf(results) };
}

function skipped(subject: string, { name }: Check): CheckResult {
  const advice = 'Correct the first check, then run the command again.';
  return { subject, check: name, outcome: 'skipped', found: null, advice };
}

function verdictOf(results: readonly CheckResult[]): Certification['verdict'] {
  const hasPassed = ({ outcome }: CheckResult) => outcome === 'passed';
  const resolving = results.filter(({ subject }) => RESOLVING.includes(subject));
  return {
    isCertified: results.every(hasPassed),
    resolvesUnknown: resolving.every(hasPassed),
  };
}
