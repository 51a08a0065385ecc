// What each end of a visit is called on the page, and what the app is told of it. Nothing else ends a visit.
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

/** What became of the payment that the payer has confirmed here. */
export function settledOutcome(status: IntentStatus): Outcome {
  const name = nameOf(status);
  const options = { message: ({ result }: Texts) => result[name], icon: ICONS[name] };
  return { options, status: toReturnStatus(status), goesBack: true };
}

/** The payer has confirmed, and this page cannot find out the rest. */
export function openOutcome(name: OpenReason): Outcome {
  const options = { message: ({ result }: Texts) => result[name], icon: ICONS[name] };
  return { options, status: 'pending', goesBack: false };
}

/** The payer has confirmed nothing here, and cannot. */
export function rejectedOutcome(why: 'invalid' | 'expired' | 'timeOver'): Outcome {
  const options = { message: ({ session }: Texts) => session[why], icon: 'notice' as const };
  // Another session of the payment may have confirmed it: only the service says how the payment ended.
  return { options, status: 'pending', goesBack: false };
}

/** The link was used before, or the payment was confirmed by another one. */
export function usedOutcome(status: IntentStatus): Outcome {
  const name = nameOf(status);
  const told = { status: toReturnStatus(status), goesBack: false };
  if (!isSettled(status)) {
    return { ...told, options: { message: ({ session }) => session.usedPending, icon: 'waiting' } };
  }
  const options: Outcome['options'] = {
    message: ({ session }) => session.usedSettled,
    outcome: ({ result }) => result[name],
    icon: ICONS[name],
  };
  return { ...told, options };
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
};
