// The amounts of TransFi's answers. A decimal arrives as a number or as text; both are read from
// their digits.
import { z } from 'zod';
import { addCosts, isCostText, readLocal, type Cost, type LocalAmount } from '../../domain/money';

const localSchema = z.object({ amount: z.string(), currency: z.enum(['THB', 'VND']) });

/** What the payee gets. Null if it is unreadable or in a currency without a corridor. */
export function localOf(destination: unknown): LocalAmount | null {
  const { data } = localSchema.safeParse(destination);
  return data === undefined ? null : (readLocal(data.currency, data.amount) ?? null);
}

export const isSameLocal = (one: LocalAmount | null, other: LocalAmount): boolean =>
  one?.currency === other.currency && one.minor === other.minor;

const costText = z.string().refine(isCostText);
const costSchema = z.object({
  source: z.object({ amount: costText, currency: z.enum(['USD', 'USDT']) }),
  /** One fee, or a list or an object of fees. */
  fees: z
    .union([costText.transform((fee) => [fee]), z.array(costText), z.record(z.string(), costText)])
    .transform((fees) => Object.values(fees))
    .refine((fees) => fees.length > 0),
});

/**
 * Whether the source amount includes the fees is not documented. They are added, so that the cost
 * is never understated. Null unless both are readable. The direction of the rate is not documented
 * either, so the rate is not read.
 */
export function costOf(order: unknown): Cost | null {
  const { data } = costSchema.safeParse(order);
  if (data === undefined) return null;
  const { amount, currency } = data.source;
  const debited = addCosts([amount, ...data.fees]);
  return isCostText(debited) ? { currency, debited, fee: addCosts(data.fees), rate: null } : null;
}
