// The sandbox's magic amounts (architecture, section 6): the exact amount of an intent chooses what happens to its
// payout. This is the table that partners read; provider-server.ts and insufficient-funds.ts do what it says, no more.

/** What a POST may meet before the provider takes the order: nothing is executed. */
export type Fault = 'error_500' | 'connection_reset';

export interface Scenario {
  /** The exact amount, or `any other`. */
  readonly amountUsdCents: number | 'any other';
  /** What becomes of the intent. */
  readonly outcome: string;
  /** What the holding account says; of an intent that is short of funds the provider never hears. */
  readonly funds: 'enough' | 'insufficient';
  /** What the first POSTs of a key meet, in this order; the next one is taken. Until then GET answers 404. */
  readonly faults: readonly Fault[];
  /** For how long both POST and GET answer `pending` once the order is taken. */
  readonly pendingMs: number;
  /** What is decided then. Paid is executed, journaled, and only then told; `never` means that nothing is ever decided or told. */
  readonly decision: 'paid' | 'declined' | 'never';
  /** Whether the POST that is taken, and every later one, gets an answer. GET always gets one, unless the decision is `never`. */
  readonly answersPost: boolean;
  /** What answers add to the true amount; the journal has the true one. */
  readonly reportedExtraCents: number;
}

const PAID_AT_ONCE: Scenario = {
  amountUsdCents: 'any other',
  outcome: 'captured',
  funds: 'enough',
  faults: [],
  pendingMs: 0,
  decision: 'paid',
  answersPost: true,
  reportedExtraCents: 0,
};

/** One row per magic amount; what a row does not name is as in the last one. */
export const SCENARIOS: readonly Scenario[] = [
  {
    ...PAID_AT_ONCE,
    amountUsdCents: 40_001,
    decision: 'declined',
    outcome: 'failed, the debit released',
  },
  {
    ...PAID_AT_ONCE,
    amountUsdCents: 40_002,
    answersPost: false,
    outcome: 'captured, paid once: executed, but the POST is never answered',
  },
  {
    ...PAID_AT_ONCE,
    amountUsdCents: 40_003,
    faults: ['error_500', 'error_500'],
    outcome: 'captured, after two 500s',
  },
  {
    ...PAID_AT_ONCE,
    amountUsdCents: 40_004,
    pendingMs: 3_000,
    outcome: 'captured, after pending for 3 s',
  },
  {
    ...PAID_AT_ONCE,
    amountUsdCents: 40_005,
    decision: 'never',
    answersPost: false,
    outcome: 'stays authorized, left to operations: no answer and never known',
  },
  {
    ...PAID_AT_ONCE,
    amountUsdCents: 40_006,
    funds: 'insufficient',
    outcome: 'failed, no payout attempted: the holding account has too little',
  },
  {
    ...PAID_AT_ONCE,
    amountUsdCents: 40_007,
    faults: ['connection_reset'],
    outcome: 'captured, after a connection reset with nothing executed',
  },
  {
    ...PAID_AT_ONCE,
    amountUsdCents: 40_008,
    reportedExtraCents: 1,
    outcome: 'stays authorized, left to operations: the provider reports another amount',
  },
  {
    ...PAID_AT_ONCE,
    amountUsdCents: 40_009,
    pendingMs: 30_000,
    decision: 'declined',
    outcome: 'failed, the debit released, after pending for 30 s',
  },
  PAID_AT_ONCE,
];

export function scenarioFor(amountUsdCents: number): Scenario {
  return SCENARIOS.find((row) => row.amountUsdCents === amountUsdCents) ?? PAID_AT_ONCE;
}
