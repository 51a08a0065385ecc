// What survives a reload, in this tab alone and until the outcome is known (decision 116): phones drop a page while the payer
// picks a photo, and a payment that is under way must not lose the only page that asks about it.
import { memberOf } from './member';

export interface KeptSession {
  readonly token: string;
  readonly expiresAtMs: number;
  readonly returnScheme: string | null;
  /** Whether that scheme was found to be registered. */
  readonly isSchemeAllowed: boolean;
  /** The code, once the payer has confirmed it: a repeat must carry the same one. */
  readonly sentCode: string | null;
}

const PREFIX = 'checkout:';

export function keepSession(intentId: string, session: KeptSession): void {
  // Storage may be switched off or full: then a reload begins anew, and nothing else is lost.
  attempt(() => {
    sessionStorage.setItem(PREFIX + intentId, JSON.stringify(session));
  });
}

export function keptSession(intentId: string): KeptSession | undefined {
  return attempt(() => {
    const kept: unknown = JSON.parse(sessionStorage.getItem(PREFIX + intentId) ?? 'null');
    return isKeptSession(kept) ? kept : undefined;
  });
}

export function forgetSession(intentId: string): void {
  attempt(() => {
    sessionStorage.removeItem(PREFIX + intentId);
  });
}

const isText = (value: unknown) => typeof value === 'string';
const isTextOrNull = (value: unknown) => value === null || isText(value);

const FORMS: Readonly<Record<keyof KeptSession, (value: unknown) => boolean>> = {
  token: isText,
  expiresAtMs: (value) => typeof value === 'number',
  returnScheme: isTextOrNull,
  isSchemeAllowed: (value) => typeof value === 'boolean',
  sentCode: isTextOrNull,
};

function isKeptSession(value: unknown): value is KeptSession {
  return Object.entries(FORMS).every(([name, holds]) => holds(memberOf(value, name)));
}

function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
