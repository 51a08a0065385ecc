// What people declare a payment to be against what its provider may yet say, and how a contradiction is told (architecture,
// section 3, "Settlement").

export type ResolvedOutcome = 'paid' | 'declined';

/**
 * How a payment ended on somebody's word: as operations declared its payout, or cancelled by its partner where only the provider
 * could say that nothing was sent (decision 25).
 */
export type ManualResolution = ResolvedOutcome | 'cancelled';

/** The reason of the transition that operations declared: by it their audit trail is told from any other. */
export function resolvedReason(evidence: string): string {
  return `resolved: ${evidence}`;
}

/** For a day the provider is asked whether it agrees: a payment that was frozen on its way may land late. */
export const RECHECKED_FOR_SECONDS = 86_400;

/** What people are told, in the row and in the UI. */
export function contradictionOf(resolvedAs: ManualResolution, finding: string): string {
  if (resolvedAs === 'cancelled') return `Cancelled as not paid out, but ${finding}`;
  return `Declared ${resolvedAs} by operations, but ${finding}`;
}

/** Declared paid, it is for people to find out why the provider does not say so. */
export const NEVER_CONFIRMED = 'the provider has not said so for a day.';
