// `Prefer: wait=N` and `Prefer: respond-async` (RFC 7240; decision 5): how long a confirm waits for the outcome.

/** What lies between two commas, unless those are in quotes; an end without its quote is part of the last one. */
const PREFERENCE = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g;

/** Milliseconds to wait: what the caller prefers, never more than the service's own limit. */
export function parseWaitMs(prefer: string, limitMs: number): number {
  const preferences = (prefer.match(PREFERENCE) ?? []).map(parsePreference);
  if (preferences.some(({ name, value }) => name === 'respond-async' && value === '')) return 0;
  // "If any preference is specified more than once, only the first instance is to be considered."
  const wait = preferences.find(({ name }) => name === 'wait')?.value ?? '';
  return /^\d+$/.test(wait) ? Math.min(limitMs, Number(wait) * 1_000) : limitMs;
}

/** Parameters, which begin with a semicolon, belong to no preference that is known here. */
function parsePreference(text: string) {
  const [pair = ''] = text.split(';', 1);
  const [name = ''] = pair.split('=', 1);
  const value = pair.slice(name.length + 1).trim();
  return { name: name.trim().toLowerCase(), value: /^"([^"]*)"$/.exec(value)?.[1] ?? value };
}
