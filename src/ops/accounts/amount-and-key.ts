// The amount of a booking, and the key that makes a repeat change nothing.
import { BadOption } from '../rejection';
import { required } from '../verb';

export const AMOUNT_AND_KEY = [
  required('--amount-usd-cents <cents>', 'the amount, a whole number of USD cents'),
  required('--key <text>', 'what identifies the money, such as the number of the wire transfer'),
];

export interface AmountAndKey {
  readonly amountUsdCents: string;
  readonly key: string;
}

const KEY = /^[!-~]{1,200}$/;
/** USD 100 billion: sums of such amounts stay exact. */
const AMOUNT_MAX_USD_CENTS = 10_000_000_000_000;

/** @returns the amount in cents. @throws BadOption */
export function checkAmountAndKey({ amountUsdCents: text, key }: AmountAndKey): number {
  const amount = /^\d{1,14}$/.test(text) ? Number(text) : 0;
  if (amount < 1 || amount > AMOUNT_MAX_USD_CENTS) {
    throw new BadOption(
      `--amount-usd-cents ${text} is not a whole number of cents from 1 to ${AMOUNT_MAX_USD_CENTS}.`,
    );
  }
  if (KEY.test(key)) return amount;
  throw new BadOption('--key must be 1 to 200 printable ASCII characters without spaces.');
}
