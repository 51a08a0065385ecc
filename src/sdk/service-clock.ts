// The caller's clock, held against the service's (protocol 3.4, step 3).
// A 401 does not say why, but every answer has a `Date`: a clock that is far from it is the one cause a client can mend.
import type { Now } from './clock';

/** A clock that is closer than this was not the cause: five minutes are allowed, and a request does not travel for four. */
const DIFFERENCE_MIN_MS = 60_000;

/**
 * A `Date` may be forged, and nobody shall have requests signed for a far future and keep them. A wrong time zone is up to 14
 * hours; a clock that is off by more than a day is for people to set.
 */
const CORRECTION_MAX_MS = 86_400_000;

/** The one form in which servers write it; `Date.parse` alone would read far more. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

export interface ServiceClock {
  /** The caller's clock, with the last correction that has proved right; at first as it is. */
  readonly now: Now;
  /** What to try after this rejection; undefined where its `Date` is near, absent, unreadable or more than a day away. */
  correctedBy(headers: Headers): Correction | undefined;
}

export interface Correction {
  readonly now: Now;
  /** To be called once the service has taken a request of that time: only then do other calls use it. */
  keep(): void;
}

export function createServiceClock(own: Now): ServiceClock {
  let keptMs = 0;
  const now = () => shifted(own, keptMs);
  return {
    now,
    correctedBy(headers) {
      const date = headers.get('Date') ?? '';
      const serviceMs = HTTP_DATE.test(date) ? Date.parse(date) : NaN;
      const correctionMs = serviceMs - own().getTime();
      const isFar = Math.abs(serviceMs - now().getTime()) > DIFFERENCE_MIN_MS;
      const isPlausible = Math.abs(correctionMs) <= CORRECTION_MAX_MS;
      if (!isFar || !isPlausible) return undefined;
      return {
        now: () => shifted(own, correctionMs),
        keep: () => {
          keptMs = correctionMs;
        },
      };
    },
  };
}

function shifted(own: Now, byMs: number): Date {
  return new Date(own().getTime() + byMs);
}
