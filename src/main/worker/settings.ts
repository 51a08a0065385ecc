// A worker's settings in the form that its activities use, with the differences between prod and
// sandbox.
import type { WorkerConfig } from '../../config/config';
import { isQrPayloadRequired, maximumUsdCents } from '../../config/corridors';
import { costBounds } from '../../config/providers';
import type { FundsAccount } from '../../ports/funds-account';
import { withInsufficientFunds } from '../../sandbox/insufficient-funds';

export function paymentSettingsOf(config: WorkerConfig) {
  return {
    isQrPayloadRequired: isQrPayloadRequired(config),
    maximumUsdCents: maximumUsdCents(config),
    isOperatorConfirmAllowed: config.OPERATOR_CONFIRM ?? config.SERVICE_ENV === 'sandbox',
    payoutUnknownSeconds: config.PAYOUT_UNKNOWN_SECONDS,
    costBounds: costBounds(config),
    paidAskedAfterSeconds: config.SERVICE_ENV === 'sandbox' ? 5 : 60,
  };
}

/**
 * Null in a sandbox, which is stopped and started at any time: there, no payouts stop because
 * Postgres and Temporal were not compared for long.
 */
export function restoreWatchMaxAgeOf(config: WorkerConfig): number | null {
  return config.SERVICE_ENV === 'prod' ? config.RESTORE_WATCH_MAX_AGE_SECONDS : null;
}

/**
 * Only the sandbox has amounts that are always short of funds; in prod they are amounts like any
 * other.
 */
export function fundsFor(
  { SERVICE_ENV }: Pick<WorkerConfig, 'SERVICE_ENV'>,
  ledger: FundsAccount,
): FundsAccount {
  return SERVICE_ENV === 'sandbox' ? withInsufficientFunds(ledger) : ledger;
}
