// The payout corridors (protocol 2.2): a folder and a line each. Everything else maps over them.
import type { CorridorScheme } from './scheme';
import { TH_QRPAY } from './th_qrpay/scheme';
import { VN_QRPAY } from './vn_qrpay/scheme';

const REGISTRY = {
  th_qrpay: TH_QRPAY,
  vn_qrpay: VN_QRPAY,
} as const satisfies Readonly<Record<string, CorridorScheme>>;

export type Corridor = keyof typeof REGISTRY;

export const SCHEMES: Readonly<Record<Corridor, CorridorScheme>> = REGISTRY;

/** In the order of the registry, of which there is at least one. */
export const CORRIDORS = Object.keys(REGISTRY) as [Corridor, ...Corridor[]];

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
