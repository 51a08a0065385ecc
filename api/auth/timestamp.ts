// RFC 3339 UTC, strictly: `Z` or `+00:00` (decision 24). Date.parse alone takes far more than that.

const RFC3339_UTC = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?(?:[Zz]|\+00:00)$/;

/** Milliseconds since 1970, or undefined when the text is not an RFC 3339 date-time in UTC. */
export function parseRfc3339Utc(text: string): number | undefined {
  const match = RFC3339_UTC.exec(text);
  if (match === null) return undefined;
  const seconds = text.slice(0, 19).toUpperCase();
  const wholeMs = Date.parse(`${seconds}Z`);
  // 2026-02-30 is no date, and the 24:00:00 that Date.parse takes is no time of RFC 3339: such do not come back alike.
  if (Number.isNaN(wholeMs) || !new Date(wholeMs).toISOString().startsWith(seconds))
    return undefined;
  return wholeMs + Math.trunc(Number(match[1] ?? 0) * 1_000);
}
