// The phases of a payment, as its statements lead from one to the next.

/** How far a payment is, by the last of these statements that has committed. */
export const PHASES = [
  'unwritten',
  'created',
  'authorized',
  'held',
  'paying',
  'attention',
  'ended',
] as const;
export type Phase = (typeof PHASES)[number];

export interface Progress {
  phase: Phase;
  /** When the payment came to it. */
  sinceMs: number;
}

export const PHASE_AFTER: Readonly<Record<string, Phase>> = {
  'create-intent': 'created',
  'transition: created authorize': 'authorized',
  'why-no-payout': 'held',
  'record-first-sending': 'paying',
  'begin-payout-attempt': 'paying',
  'set-attention': 'attention',
  'transition: created expire': 'ended',
  'transition: created cancel': 'ended',
  'transition: authorized capture': 'ended',
  'expire-overdue': 'ended',
  // The other ends of an authorized payment are transactions.
  transaction: 'ended',
};
