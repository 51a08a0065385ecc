// When commits took longer than a statement may: a change is dated by its statement and seen once it is committed.

export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface SlowCommits {
  readonly periods: readonly Period[];
  during<Result>(work: () => Promise<Result>): Promise<Result>;
}

export function createSlowCommits(): SlowCommits {
  const periods: Period[] = [];
  return {
    periods,
    async during(work) {
      const fromMs = Date.now();
      try {
        return await work();
      } finally {
        periods.push({ fromMs, toMs: Date.now() });
      }
    },
  };
}
