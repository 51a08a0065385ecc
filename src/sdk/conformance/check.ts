// The checks of the conformance command: what each expects, what it found, and what to do.

export interface Finding {
  readonly isRight: boolean;
  /** What happened instead, as a sentence. */
  readonly found: string;
  /** What the reader does about it, as a sentence. */
  readonly advice: string;
}

export interface Check {
  /** What a conforming side does, as a sentence that can be false. */
  readonly name: string;
  readonly run: () => Promise<Finding>;
}

export interface CheckResult {
  readonly subject: string;
  readonly check: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Null unless the check failed. */
  readonly found: string | null;
  /** Null if the check passed. */
  readonly advice: string | null;
}

/**
 * Runs checks in their order. If the first fails, the others are skipped: where nothing is
 * accepted, a rejection proves nothing.
 */
export async function runChecks(
  subject: string,
  checks: readonly Check[],
): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  for (const check of checks) {
    const isPointless = results[0]?.outcome === 'failed';
    const result = isPointless ? SKIPPED : await outcomeOf(check);
    results.push({ subject, check: check.name, ...result });
  }
  return results;
}

const SKIPPED = {
  outcome: 'skipped',
  found: null,
  advice: 'Correct the first check of this group, then run the command again.',
} as const;

async function outcomeOf({ run }: Check) {
  const { isRight, found, advice } = await run().catch(thrown);
  return isRight
    ? ({ outcome: 'passed', found: null, advice: null } as const)
    : ({ outcome: 'failed', found, advice } as const);
}

/** Such as a private key that is not PEM: the SDK's message says what is wrong. */
function thrown(error: unknown): Finding {
  const found = error instanceof Error ? error.message : String(error);
  return { isRight: false, found, advice: 'Correct the settings of the command.' };
}
