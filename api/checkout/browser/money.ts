// Formats amounts in the payer's language, with the currency code: a bare "$" is not always the US
// dollar.
import type { QrCurrency } from '../../../src/domain/qr/amount';

export function formatUsdCents(cents: number, language: string): string {
  return format(cents / 100, 'USD', 2, language);
}

export function formatCodeAmount(
  minorUnits: number,
  currency: QrCurrency,
  language: string,
): string {
  return format(minorUnits / 10 ** currency.exponent, currency.code, currency.exponent, language);
}

function format(value: number, currency: string, digits: number, language: string): string {
  return new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    currencyDisplay: 'code',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(value);
}
