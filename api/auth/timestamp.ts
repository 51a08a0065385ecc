// RFC 3339 UTC, strictly: `Z` or `+00:00` (decision 24). Date.parse alone takes far more than that.

const RFC3339_UTC =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(\.\d{1,9})?([Zz]|\+00:00)$/;

/** Milliseconds since 1970, or undefined when the text is not an RFC 3339 date-time in UTC. */
export function parseRfc3339Utc(text: string): number | undefined {
  const match = RFC3339_UTC.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map(Number);
  const wholeMs = Date.UTC(year, month - 1, day, hour, minute, second);
  // 2026-02-30 and 24:61 roll over in Date.UTC: what does not come back as it went in was not a date.
  const isReal = new Date(wholeMs).toISOString().startsWith(text.slice(0, 19).toUpperCase());
  return isReal ? wholeMs + Math.trunc(Number(match[7] ?? 0) * 1_000) : undefined;
}
