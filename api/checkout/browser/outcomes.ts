// The outcomes of a visit: the message on the page, and the status that the app gets. A payer who
// leaves before paying gets the app's `cancelled`.
import { isSettled } from '../../../src/domain/intents/transitions';
import type { IntentStatus } from '../../../src/domain/intents/payment-intent';
import type { OpenReason } from './confirmation';
import { toReturnStatus, type ReturnStatus } from './session/return-link';
import type { Message, Texts } from './texts/en';

export interface OutcomeView {
  readonly message: (texts: Texts) => Message;
  /** Below the message. */
  readonly note?: (texts: Texts) => string;
  readonly icon: 'done' | 'failed' | 'waiting' | 'notice';
  /** No money was taken from the payer. */
  readonly isNotCharged?: boolean;
}

export interface Outcome {
  readonly options: OutcomeView;
  readonly status: ReturnStatus;
  /** Whether the page goes back to the app by itself. */
  readonly goesBack: boolean;
  /** Whether the service knows the payment: only then its reference is shown. */
  readonly isOfPayment: boolean;
  /** Whether the payment goes to the merchant of the code that the payer has confirmed here. */
  readonly isByCode: boolean;
}

const LASTING = { goesBack: false, isByCode: false } as const;

type ResultName = keyof Texts['result'];

/** The payer has confirmed the payment here, and it is settled. */
export function settledOutcome(status: IntentStatus): Outcome {
  return {
    options: resultOf(nameOf(status)),
    status: toReturnStatus(status),
    goesBack: true,
    isOfPayment: true,
    isByCode: true,
  };
}

/** The payer has confirmed, and this page cannot find out the outcome. */
export function openOutcome(name: OpenReason): Outcome {
  const isByCode = name === 'pending' || name === 'unknown';
  return { ...LASTING, options: resultOf(name), status: 'pending', isOfPayment: true, isByCode };
}

/** The payer has confirmed nothing here, and cannot confirm. */
export function rejectedOutcome(why: 'invalid' | 'expired'): Outcome {
  const options = { message: ({ session }: Texts) => session[why], icon: 'notice' as const };
  // Another session may have confirmed the payment: only the service knows how it ended.
  return { ...LASTING, options, status: 'pending', isOfPayment: false };
}

/** The link was used before, or the payment was confirmed by another link. */
export function usedOutcome(status: IntentStatus): Outcome {
  const options: OutcomeView = isSettled(status)
    ? { ...resultOf(nameOf(status)), note: ({ session }) => session.usedSettled }
    : { message: ({ session }) => session.usedPending, icon: 'waiting' };
  return { ...LASTING, options, status: toReturnStatus(status), isOfPayment: true };
}

function resultOf(name: ResultName): OutcomeView {
  const message = ({ result }: Texts) => result[name];
  return { message, icon: ICONS[name], isNotCharged: NOT_CHARGED.includes(name) };
}

function nameOf(status: IntentStatus): ResultName {
  return status === 'created' || status === 'authorized' ? 'pending' : status;
}

/**
 * Nothing was debited, or the commit that wrote the status has released the debit. No other outcome
 * may say so: it is open, unknown, or paid.
 */
const NOT_CHARGED: readonly ResultName[] = ['failed', 'cancelled', 'expired', 'limited', 'paused'];

const ICONS: Readonly<Record<ResultName, OutcomeView['icon']>> = {
  captured: 'done',
  failed: 'failed',
  pending: 'waiting',
  unknown: 'waiting',
  cancelled: 'notice',
  expired: 'notice',
  refunded: 'notice',
  otherCode: 'notice',
  closed: 'notice',
  limited: 'notice',
  paused: 'notice',
};
