// What a worker's settings mean to its activities, and where prod is not the sandbox.
import type { WorkerConfig } from '../../config';
import { isQrPayloadRequired } from '../../corridor-settings';
import type { FundsAccount } from '../../ports/funds-account';
import { withInsufficientFunds } from '../../sandbox/insufficient-funds';

export function paymentSettingsOf(config: WorkerConfig) {
  return {
    isQrPayloadRequired: isQrPayloadRequired(config),
    isOperatorConfirmAllowed: config.OPERATOR_CONFIRM ?? config.SERVICE_ENV === 'sandbox',
    payoutUnknownSeconds: config.PAYOUT_UNKNOWN_SECONDS,
  };
}

/** A sandbox is stopped and started again at any time: how long nobody compared Postgres with Temporal stops nothing there. */
export function restoreWatchMaxAgeOf(config: WorkerConfig): number | null {
  return config.SERVICE_ENV === 'prod' ? config.RESTORE_WATCH_MAX_AGE_SECONDS : null;
}

/** Amounts that the sandbox calls short of funds are amounts like any other in prod. */
export function fundsFor(
  { SERVICE_ENV }: Pick<WorkerConfig, 'SERVICE_ENV'>,
  ledger: FundsAccount,
): FundsAccount {
  return SERVICE_ENV === 'sandbox' ? withInsufficientFunds(ledger) : ledger;
}
