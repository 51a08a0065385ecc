// The payout corridors (protocol 2.2). The schemes of their codes are in registry.ts, so that the
// SDK and the workflows load only names.
export const CORRIDORS = ['th_qrpay', 'vn_qrpay'] as const;

export type Corridor = (typeof CORRIDORS)[number];

/** A value for each corridor. */
export function byCorridor<Value>(
  valueOf: (corridor: Corridor) => Value,
): Readonly<Record<Corridor, Value>> {
  return Object.fromEntries(CORRIDORS.map((name) => [name, valueOf(name)])) as Record<
    Corridor,
    Value
  >;
}

export function isCorridor(value: unknown): value is Corridor {
  return CORRIDORS.some((corridor) => corridor === value);
}

/** @throws Error when the text names no corridor. */
export function parseCorridor(text: string): Corridor {
  if (!isCorridor(text)) throw new Error(`not a corridor: ${text}`);
  return text;
}
