// The requests of the page to the service, and their answers. A lost network is an answer of its
// own: it says nothing about the payment.
import type { Corridor } from '../../../../src/corridors/names';
import type { IntentStatus } from '../../../../src/domain/intents/payment-intent';

export interface Session {
  readonly status: IntentStatus;
  /** False while operators have closed the corridor or suspended the partner. */
  readonly isOpen: boolean;
  readonly amountUsdCents: number;
  readonly corridor: Corridor;
  readonly expiresInSeconds: number;
  readonly returnSchemes: readonly string[];
  readonly partner: Partner | null;
}

/** What payers see of the partner (decision 144). */
export interface Partner {
  readonly name: string;
  /** The path of the logo. */
  readonly logo: string | null;
}

/** `unknown`: no answer, or one without a result. The request may always be repeated. */
export interface Unknown {
  readonly kind: 'unknown';
  /** From the service's Retry-After header, if there was one. */
  readonly retryAfterMs: number | undefined;
}

export interface Rejected {
  readonly kind: 'rejected';
}

export type SessionAnswer =
  { readonly kind: 'open'; readonly session: Session } | Rejected | Unknown;
export type StatusAnswer =
  { readonly kind: 'known'; readonly status: IntentStatus } | Rejected | Unknown;
export type ConfirmAnswer =
  StatusAnswer | { readonly kind: 'code_rejected' | 'conflict' | 'limited' };

export interface CheckoutService {
  /** @param returnScheme that of the link: the service logs one that is not registered */
  session(returnScheme?: string | null): Promise<SessionAnswer>;
  /**
   * Sends the same token each time: the service authorizes once, and answers repeats with the
   * current status (decision 6).
   */
  confirm(code: string): Promise<ConfirmAnswer>;
  status(): Promise<StatusAnswer>;
  /** The time by the service's last answer, else by this device, whose clock may be wrong. */
  now(): Date;
}
