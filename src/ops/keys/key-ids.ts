// The ids of signing keys: `<partner>_<environment>_<quarter>` (protocol 3.6). A new key gets the
// quarter after the partner's latest one (decision 13).

interface KeyIdParts {
  readonly partnerId: string;
  readonly environment: string;
  /** The ids of all keys that the partner ever had. */
  readonly issued: readonly string[];
  /** Decides the quarter of a first key. */
  readonly now: Date;
}

const QUARTER = /^(\d{4,})q([1-4])$/;

/** Ignores ids of another format. Without an id of this format, the current quarter is next. */
export function nextKeyId({ partnerId, environment, issued, now }: KeyIdParts): string {
  const prefix = `${partnerId}_${environment}_`;
  const quarters = issued
    .filter((keyId) => keyId.startsWith(prefix))
    .map((keyId) => parseQuarter(keyId.slice(prefix.length)))
    .filter((quarter) => quarter !== undefined);
  const next = quarters.length === 0 ? quarterOf(now) : Math.max(...quarters) + 1;
  return prefix + formatQuarter(next);
}

/** Counted from the year 0, so that the quarter after the last of a year needs no extra rule. */
function quarterOf(now: Date): number {
  return now.getUTCFullYear() * 4 + Math.floor(now.getUTCMonth() / 3);
}

function parseQuarter(text: string): number | undefined {
  const [, year, quarter] = QUARTER.exec(text) ?? [];
  return year === undefined ? undefined : Number(year) * 4 + Number(quarter) - 1;
}

/** `2026q4` */
function formatQuarter(quarter: number): string {
  const year = String(Math.floor(quarter / 4)).padStart(4, '0');
  return `${year}q${String((quarter % 4) + 1)}`;
}
