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

/** What a row does not name is as for any other amount. */
const row = (amountUsdCents: number, outcome: string, unlike: Partial<Scenario>): Scenario => ({
  ...PAID_AT_ONCE,
  ...{ amountUsdCents, outcome, ...unlike },
});

export const SCENARIOS: readonly Scenario[] = [
  row(40_001, 'failed, the debit released', { decision: 'declined' }),
  row(40_002, 'captured, paid once: executed, but the POST is never answered', {
    answersPost: false,
  }),
  row(40_003, 'captured, after two 500s', { faults: ['error_500', 'error_500'] }),
  row(40_004, 'captured, after pending for 3 s', { pendingMs: 3_000 }),
  row(40_005, 'stays authorized, left to operations: no answer and never known', {
    decision: 'never',
    answersPost: false,
  }),
  row(40_006, 'failed, no payout attempted: the holding account has too little', {
    funds: 'insufficient',
  }),
  row(40_007, 'captured, after a connection reset with nothing executed', {
    faults: ['connection_reset'],
  }),
  row(40_008, 'stays authorized, left to operations: the provider reports another amount', {
    reportedExtraCents: 1,
  }),
  row(40_009, 'failed, the debit released, after pending for 30 s', {
    pendingMs: 30_000,
    decision: 'declined',
  }),
  PAID_AT_ONCE,
];

export function scenarioFor(amountUsdCents: number): Scenario {
  return SCENARIOS.find((row) => row.amountUsdCents === amountUsdCents) ?? PAID_AT_ONCE;
}
