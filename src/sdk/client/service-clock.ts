// Corrects the caller's clock by the service's (protocol 3.4, step 3). A 401 does not say why, but
// every response has a `Date`, and a wrong clock is the only cause that a client can fix itself.
import type { Now } from '../clock';

/** A smaller difference is not the cause: 5 minutes are allowed, and no request travels for 4. */
const DIFFERENCE_MIN_MS = 60_000;

/**
 * A forged `Date` must not make the client sign requests for the far future, which an attacker
 * could keep. A wrong time zone differs by at most 14 hours; a larger error must be fixed by hand.
 */
const CORRECTION_MAX_MS = 86_400_000;

/** The only format that servers send; `Date.parse` alone would accept many others. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

export type ServiceClock = ReturnType<typeof createServiceClock>;

export function createServiceClock(own: Now) {
  let appliedMs = 0;
  /** The caller's clock with the last applied correction; at first uncorrected. */
  const now = () => shifted(own, appliedMs);
  return {
    now,
    /** The correction to try. Undefined when `Date` is near, absent, invalid or over a day away. */
    correctedBy(headers: Headers) {
      const date = headers.get('Date') ?? '';
      const serviceMs = HTTP_DATE.test(date) ? Date.parse(date) : NaN;
      const correctionMs = serviceMs - own().getTime();
      const isFar = Math.abs(serviceMs - now().getTime()) > DIFFERENCE_MIN_MS;
      const isPlausible = Math.abs(correctionMs) <= CORRECTION_MAX_MS;
      if (!isFar || !isPlausible) return undefined;
      return {
        now: () => shifted(own, correctionMs),
        /** Lets all calls use this time. Call it only once the service has accepted it. */
        apply: () => {
          appliedMs = correctionMs;
        },
      };
    },
  };
}

function shifted(own: Now, byMs: number): Date {
  return new Date(own().getTime() + byMs);
}
