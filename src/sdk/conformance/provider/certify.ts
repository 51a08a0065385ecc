// Runs the checks of a provider, and says what they prove.
import type { PayoutOrder } from '../../../ports/payout-provider';
import type { CheckResult } from '../check';
import { ANSWER_CHECKS, REPEAT_CHECKS } from './answer-checks';
import { readBalance, type Caller } from './caller';
import { LOST_CHECKS } from './lost-checks';
import { OUTCOME_CHECKS } from './outcome-checks';
import type { ProviderCheck } from './provider-check';
import { TERM_CHECKS } from './term-checks';

export type Certification = Awaited<ReturnType<typeof certify>>;

const LOST_ANSWERS = 'Lost answers';
/** The first group, without whose first check no other proves anything. */
const ANSWERS = 'Answers';
const GROUPS = [
  [ANSWERS, ANSWER_CHECKS],
  ['One key, one payment', REPEAT_CHECKS],
  [LOST_ANSWERS, LOST_CHECKS],
  ['Outcomes', OUTCOME_CHECKS],
  ['Quotes, codes, amounts, credential', TERM_CHECKS],
] as const;
/** In these groups each check counts for the verdict on unknown outcomes. */
const RESOLVING = [ANSWERS, LOST_ANSWERS];

/** The sum of all orders, each once; few of them are refused or declined. */
export const ORDERED_CENTS_MAX = GROUPS.flatMap(([, checks]) => checks)
  .map(({ pays, orders }) => pays ?? orders ?? 0)
  .reduce((sum, cents) => sum + cents, 0);

export async function certify(caller: Caller) {
  const first = caller.anOrder(100);
  const results: CheckResult[] = [];
  for (const [subject, checks] of GROUPS) {
    for (const check of checks) {
      const isPointless = results[0]?.outcome === 'failed';
      const result = isPointless ? SKIPPED : await resultOf(check, caller, first);
      results.push({ subject, check: check.name, ...result });
    }
  }
  const hasPassed = ({ outcome }: CheckResult) => outcome === 'passed';
  const resolving = results.filter(({ subject }) => RESOLVING.includes(subject));
  return {
    results,
    isCertified: results.every(hasPassed),
    /** Whether a query by key says what became of an order whose answer is lost. */
    resolvesUnknown: resolving.every(hasPassed),
  };
}

const SKIPPED = {
  outcome: 'skipped',
  found: null,
  advice: 'Correct the first check, then run the command again.',
} as const;

async function resultOf(check: ProviderCheck, caller: Caller, first: PayoutOrder) {
  try {
    const before = await readBalance(caller);
    await check.run({ ...caller, first, given: caller.anOrder(check.pays ?? check.orders ?? 100) });
    const after = await readBalance(caller);
    // Rounded, because floating point adds a trace.
    const [fall, due] = [Number((before.cents - after.cents).toFixed(3)), check.pays ?? 0];
    if (fall !== due) {
      throw new Error(`The balance fell by ${String(fall)} cents, not by ${String(due)}.`);
    }
    return { outcome: 'passed', found: null, advice: null } as const;
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    return { outcome: 'failed', found, advice: check.advice } as const;
  }
}
