// The payee's amount on the wire of our own protocol: a currency, and its minor units.
import { z } from 'zod';
import type { LocalAmount } from '../../domain/money';

export const localSchema = z
  .object({ currency: z.enum(['THB', 'VND']), amount: z.int().positive() })
  .transform(({ currency, amount }): LocalAmount => ({ currency, minor: amount }));

export const wireLocal = ({ currency, minor }: LocalAmount) => ({ currency, amount: minor });
