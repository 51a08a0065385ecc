// `Prefer: wait=N` and `Prefer: respond-async` (RFC 7240; decision 5): how long a confirm waits for the outcome.

/** Milliseconds to wait: what the caller prefers, never more than the service's own limit. */
export function parseWaitMs(prefer: string, limitMs: number): number {
  const preferences = prefer.split(',').map((text) => text.trim().toLowerCase());
  if (preferences.includes('respond-async')) return 0;
  const wait = preferences.map((text) => /^wait *= *"?(\d{1,6})"?$/.exec(text)?.[1]).find(Boolean);
  return wait === undefined ? limitMs : Math.min(limitMs, Number(wait) * 1_000);
}
