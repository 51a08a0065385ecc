// What survives a reload, in this tab alone and until the outcome is known (decision 116): phones drop a page while the payer
// picks a photo, and a payment that is under way must not lose the only page that asks about it.

export interface StoredSession {
  readonly token: string;
  readonly expiresAtMs: number;
  readonly returnScheme: string | null;
  /** Whether that scheme was found to be registered. */
  readonly isSchemeAllowed: boolean;
  /** The code, once the payer has confirmed it: a repeat must carry the same one. */
  readonly sentCode: string | null;
}

/** Another one when the form changes: only this page writes what is kept here. */
const PREFIX = 'checkout:';

export function storeSession(intentId: string, session: StoredSession): void {
  // Storage may be switched off or full: then a reload begins anew, and nothing else is lost.
  attempt(() => {
    sessionStorage.setItem(PREFIX + intentId, JSON.stringify(session));
  });
}

export function storedSession(intentId: string): StoredSession | undefined {
  return attempt(() => {
    const kept = sessionStorage.getItem(PREFIX + intentId);
    return kept === null ? undefined : (JSON.parse(kept) as StoredSession);
  });
}

export function forgetSession(intentId: string): void {
  attempt(() => {
    sessionStorage.removeItem(PREFIX + intentId);
  });
}

function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
