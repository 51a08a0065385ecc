// Parses `Prefer: wait=N` and `Prefer: respond-async` (RFC 7240; decision 5), which limit how long
// a confirm waits for the outcome.

/** One preference: text up to a comma outside quotes. An unclosed quote runs to the end. */
const PREFERENCE = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g;

/** @returns milliseconds to wait: the caller's preference, at most the service's limit */
export function parseWaitMs(prefer: string, limitMs: number): number {
  const preferences = (prefer.match(PREFERENCE) ?? []).map(parsePreference);
  if (preferences.some(({ name, value }) => name === 'respond-async' && value === '')) return 0;
  // "If any preference is specified more than once, only the first instance is to be considered."
  const wait = preferences.find(({ name }) => name === 'wait')?.value ?? '';
  return /^\d+$/.test(wait) ? Math.min(limitMs, Number(wait) * 1_000) : limitMs;
}

/** Drops parameters, which begin with a semicolon: the known preferences have none. */
function parsePreference(text: string) {
  const [pair = ''] = text.split(';', 1);
  const [name = ''] = pair.split('=', 1);
  const value = pair.slice(name.length + 1).trim();
  return { name: name.trim().toLowerCase(), value: /^"([^"]*)"$/.exec(value)?.[1] ?? value };
}
