// The warning about a holding account that runs low.
import type { OpsConfig } from '../../config/config';
import { formatUsd } from '../../domain/money';
import { printNotice } from '../print';

export function warnWhenLow(
  balanceUsdCents: number,
  { HOLDING_LOW_USD_CENTS: low }: OpsConfig,
): void {
  if (balanceUsdCents >= low) return;
  printNotice(
    `The holding account runs low: ${formatUsd(balanceUsdCents)}, less than ${formatUsd(low)} (HOLDING_LOW_USD_CENTS). Payments that it cannot cover fail.`,
  );
}
