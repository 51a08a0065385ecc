// What the page may ask the service, and what the answers may be. A lost network is an answer of its own: it says nothing
// about the payment.
import type { Corridor } from '../../../../src/domain/corridor';
import type { IntentStatus } from '../../../../src/domain/intents/payment-intent';

export interface Session {
  readonly status: IntentStatus;
  readonly amountUsdCents: number;
  readonly corridor: Corridor;
  readonly expiresInSeconds: number;
  readonly returnSchemes: readonly string[];
}

/** `unknown`: no answer, or one that does not tell. Asking again is always allowed. */
export interface Unknown {
  readonly kind: 'unknown';
  /** What the service asked us to wait, when it did. */
  readonly retryAfterMs: number | undefined;
}

export interface Refused {
  readonly kind: 'refused';
}

export type SessionAnswer =
  { readonly kind: 'open'; readonly session: Session } | Refused | Unknown;
export type StatusAnswer =
  { readonly kind: 'told'; readonly status: IntentStatus } | Refused | Unknown;
export type ConfirmAnswer = StatusAnswer | { readonly kind: 'code_refused' | 'conflict' };

export interface CheckoutService {
  session(): Promise<SessionAnswer>;
  /** The same token each time: the service lets it authorize once, and answers repeats truthfully (decision 6). */
  confirm(code: string): Promise<ConfirmAnswer>;
  status(): Promise<StatusAnswer>;
}
