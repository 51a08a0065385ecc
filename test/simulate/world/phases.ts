// The phases of a payment, and the statements that lead to each.

/** The last committed statement of the list below decides the phase. */
export const PHASES = [
  'unwritten',
  'created',
  'authorized',
  'delayed',
  'paying',
  'attention',
  'ended',
] as const;
export type Phase = (typeof PHASES)[number];

export interface Progress {
  phase: Phase;
  /** When the payment reached the phase. */
  sinceMs: number;
}

export const PHASE_AFTER: Readonly<Record<string, Phase>> = {
  'create-intent': 'created',
  'transition: created authorize': 'authorized',
  'why-no-payout': 'delayed',
  'record-first-sending': 'paying',
  'begin-payout-attempt': 'paying',
  'set-attention': 'attention',
  'transition: created expire': 'ended',
  'transition: created cancel': 'ended',
  'transition: authorized capture': 'ended',
  'expire-overdue': 'ended',
  // All other terminal transitions of an authorized payment are transactions.
  transaction: 'ended',
};
