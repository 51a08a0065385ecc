// The outcomes of a visit: the message on the page, and the status that the app gets. A payer who
// leaves before paying gets the app's `cancelled`.
import { isSettled } from '../../../src/domain/intents/transitions';
import type { IntentStatus } from '../../../src/domain/intents/payment-intent';
import type { OpenReason } from './confirmation';
import { toReturnStatus, type ReturnStatus } from './session/return-link';
import type { EndingOptions } from './screens/ending';
import type { Texts } from './texts/en';

export interface Outcome {
  readonly options: Pick<EndingOptions, 'message' | 'outcome' | 'icon'>;
  readonly status: ReturnStatus;
  /** Whether the page goes back to the app by itself. */
  readonly goesBack: boolean;
}

type ResultName = keyof Texts['result'];

/** The payer has confirmed the payment here, and it is settled. */
export function settledOutcome(status: IntentStatus): Outcome {
  const name = nameOf(status);
  const options = { message: ({ result }: Texts) => result[name], icon: ICONS[name] };
  return { options, status: toReturnStatus(status), goesBack: true };
}

/** The payer has confirmed, and this page cannot find out the outcome. */
export function openOutcome(name: OpenReason): Outcome {
  const options = { message: ({ result }: Texts) => result[name], icon: ICONS[name] };
  return { options, status: 'pending', goesBack: false };
}

/** The payer has confirmed nothing here, and cannot confirm. */
export function rejectedOutcome(why: 'invalid' | 'expired' | 'timeOver'): Outcome {
  const options = { message: ({ session }: Texts) => session[why], icon: 'notice' as const };
  // Another session may have confirmed the payment: only the service knows how it ended.
  return { options, status: 'pending', goesBack: false };
}

/** The link was used before, or the payment was confirmed by another link. */
export function usedOutcome(status: IntentStatus): Outcome {
  const name = nameOf(status);
  const common = { status: toReturnStatus(status), goesBack: false };
  if (!isSettled(status)) {
    return {
      ...common,
      options: { message: ({ session }) => session.usedPending, icon: 'waiting' },
    };
  }
  const options: Outcome['options'] = {
    message: ({ session }) => session.usedSettled,
    outcome: ({ result }) => result[name],
    icon: ICONS[name],
  };
  return { ...common, options };
}

function nameOf(status: IntentStatus): ResultName {
  return status === 'created' || status === 'authorized' ? 'pending' : status;
}

const ICONS: Readonly<Record<ResultName, EndingOptions['icon']>> = {
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
};
