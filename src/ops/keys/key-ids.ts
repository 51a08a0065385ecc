// A key id that we issue is `<partner>_<environment>_<quarter>` (protocol 3.6). A new key gets the
// quarter after the partner's latest (decision 13).

interface KeyIdParts {
  readonly partnerId: string;
  readonly environment: string;
  /** The id of every key that the partner was ever given. */
  readonly issued: readonly string[];
  /** Names the first key's quarter. */
  readonly now: Date;
}

const QUARTER = /^(\d{4,})q([1-4])$/;

/** Ids of another format are passed over; a partner that has none of ours begins with the current quarter. */
export function nextKeyId({ partnerId, environment, issued, now }: KeyIdParts): string {
  const prefix = `${partnerId}_${environment}_`;
  const quarters = issued
    .filter((keyId) => keyId.startsWith(prefix))
    .map((keyId) => parseQuarter(keyId.slice(prefix.length)))
    .filter((quarter) => quarter !== undefined);
  const next = quarters.length === 0 ? quarterOf(now) : Math.max(...quarters) + 1;
  return prefix + formatQuarter(next);
}

/** Quarters are counted from the year 0, so that the one after the last of a year needs no rule of its own. */
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
