// What operations declare a payout to be, and how its contradiction is told (architecture, section 3, "Settlement").

export type DeclaredOutcome = 'paid' | 'declined';

/** The reason of the transition that operations declared: by it their audit trail is told from any other. */
export function resolvedReason(evidence: string): string {
  return `resolved: ${evidence}`;
}

/** For a day the provider is asked whether it agrees: a payment that was frozen on its way may land late. */
export const COMPARED_FOR_SECONDS = 86_400;

/** What people are told, in the row and in the UI. */
export function contradictionOf(declared: DeclaredOutcome, finding: string): string {
  return `Declared ${declared} by operations, but ${finding}`;
}

/** Declared paid, it is for people to find out why the provider does not say so. */
export const NEVER_CONFIRMED = 'the provider has not said so for a day.';
