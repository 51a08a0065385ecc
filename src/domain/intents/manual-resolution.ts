// Manual resolution of a payment, and the text for a contradiction by its provider (architecture,
// section 3, "Settlement").

export type ResolvedOutcome = 'paid' | 'declined';

/** `payctl intents resolve`. */
export interface Resolution {
  readonly outcome: ResolvedOutcome;
  /** The operator's name. */
  readonly actor: string;
  readonly evidence: string;
  /**
   * The provider will never answer again: `declined` is accepted although it is silent, or has said
   * paid or pending.
   */
  readonly isProviderGone?: boolean;
}

/**
 * A status that the provider must not contradict later: an operator's resolution, or a partner's
 * cancel that only the provider's answer allowed (decision 25).
 */
export type ManualResolution = ResolvedOutcome | 'cancelled';

/** The reason in the audit trail. The prefix marks a manual resolution. */
export function resolvedReason(evidence: string): string {
  return `resolved: ${evidence}`;
}

/** How long a resolution is rechecked: a delayed request may still arrive. */
export const RECHECKED_FOR_SECONDS = 86_400;

/** The attention reason, in the row and in the UI. */
export function contradictionOf(resolvedAs: ManualResolution, finding: string): string {
  if (resolvedAs === 'cancelled') return `Cancelled as not paid out, but ${finding}`;
  return `Resolved manually as ${resolvedAs}, but ${finding}`;
}

/** A payout resolved as paid needs the provider's "paid". */
export const NEVER_CONFIRMED = 'the provider has not confirmed it for a day.';
