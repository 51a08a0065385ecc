// The sandbox's magic amounts (architecture, section 6): the exact amount of an intent decides what
// happens to its payout. Partners read this table; the provider's payout-book.ts and quotes.ts, and
// insufficient-funds.ts, implement exactly what it says.

/** How a POST may fail before the provider accepts the order: nothing is executed. */
type Fault = 'error_500' | 'connection_reset' | 'refused';

export interface Scenario {
  /** The exact amount, or `any other`. */
  readonly amountUsdCents: number | 'any other';
  /** How the intent ends, as text for partners. */
  readonly outcome: string;
  /** The answer of the holding account; if it is `insufficient`, the provider gets no request. */
  readonly funds: 'enough' | 'insufficient';
  /**
   * How the first POSTs of a key fail, in this order; the next POST is accepted. Until then GET
   * answers 404.
   */
  readonly faults: readonly Fault[];
  /** For how long both POST and GET answer `pending` once the order is accepted. */
  readonly pendingMs: number;
  /**
   * The decision after that. `paid` is executed and journaled before it is reported; `never`: it is
   * never decided.
   */
  readonly decision: 'paid' | 'declined' | 'never';
  /**
   * Whether the accepted POST, and every later one, gets an answer. GET gets one unless the
   * decision is `never`.
   */
  readonly answersPost: boolean;
  /** Added to the amount in answers; the journal has the executed amount. */
  readonly reportedExtraCents: number;
  /** For how long it stays paid until the payee's bank returns it; null: for ever. */
  readonly returnedAfterMs: number | null;
  /** Whether its quote names the payee. */
  readonly hasPayeeName: boolean;
  readonly quoteLivesMs: number;
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
  returnedAfterMs: null,
  hasPayeeName: true,
  quoteLivesMs: 60_000,
};

/** A row names only the members that differ from any other amount. */
const row = (amountUsdCents: number, outcome: string, change: Partial<Scenario>): Scenario => ({
  ...PAID_AT_ONCE,
  amountUsdCents,
  outcome,
  ...change,
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
  row(40_010, 'captured, left to operations: the payee’s bank returns it 3 s later', {
    returnedAfterMs: 3_000,
  }),
  row(40_011, 'captured, with a quote that names no payee', { hasPayeeName: false }),
  row(40_012, 'captured, with a quote that expires after 1 s', { quoteLivesMs: 1_000 }),
  row(40_013, 'captured, paid once: the first two orders are refused for too little balance', {
    faults: ['refused', 'refused'],
  }),
  PAID_AT_ONCE,
];

export function scenarioFor(amountUsdCents: number): Scenario {
  return SCENARIOS.find((row) => row.amountUsdCents === amountUsdCents) ?? PAID_AT_ONCE;
}
