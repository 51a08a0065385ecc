// The payout corridors (protocol 2.2).

export const CORRIDORS = ['th_qrpay', 'vn_qrpay'] as const;

export type Corridor = (typeof CORRIDORS)[number];

export function isCorridor(value: unknown): value is Corridor {
  return CORRIDORS.some((corridor) => corridor === value);
}

/** @throws Error when the text names no corridor. */
export function parseCorridor(text: string): Corridor {
  if (!isCorridor(text)) throw new Error(`not a corridor: ${text}`);
  return text;
}
