// Stores the session of this tab over a reload, until the outcome is known (decision 116). Phones
// drop a page while the payer chooses a photo, and a payment under way must not lose the page that
// reads its status.
import type { Partner } from '../service/answers';

export interface StoredSession {
  readonly token: string;
  readonly expiresAtMs: number;
  /** The scheme of the link; null without one. */
  readonly returnScheme: string | null;
  /** The scheme that the page may open; null until the service has named the registered ones. */
  readonly allowedScheme: string | null;
  /** Null until the service has named it, and for a partner without a name for payers. */
  readonly partner: Partner | null;
  /** The code, once the payer has confirmed it: a repeat must send the same code. */
  readonly sentCode: string | null;
}

/** Change it when the stored form changes: only this page reads and writes these items. */
const PREFIX = 'checkout:';

export function storeSession(intentId: string, session: StoredSession): void {
  // Storage may be switched off or full: then a reload starts again, and nothing else is lost.
  attempt(() => sessionStorage.setItem(PREFIX + intentId, JSON.stringify(session)));
}

export function storedSession(intentId: string): StoredSession | undefined {
  return attempt(() => {
    const stored = sessionStorage.getItem(PREFIX + intentId);
    return stored === null ? undefined : (JSON.parse(stored) as StoredSession);
  });
}

export function deleteSession(intentId: string): void {
  attempt(() => sessionStorage.removeItem(PREFIX + intentId));
}

/** Undefined if the storage cannot be used. */
export function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
