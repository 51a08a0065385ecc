// A session that the service rejects: it was used before, or on another device, or it has ended.
import { isSettled } from '../../../src/domain/intents/transitions';
import type { IntentStatus } from '../../../src/domain/intents/payment-intent';
import type { Pace } from './confirmation';
import { rejectedOutcome, usedOutcome, type Outcome } from './outcomes';
import type { CheckoutService } from './service/answers';
import { requestUntilAnswered } from './service/repeat-until-answered';
import type { Stage } from './stage';

export interface UsedSession {
  readonly stage: Stage;
  readonly service: CheckoutService;
  readonly newPace: () => Pace;
  readonly isExpired: () => boolean;
  readonly showOutcome: (outcome: Outcome) => void;
}

const READ_EVERY_MS = 5_000;

/**
 * The token may have been used: then the service answers its bearer with the status of the payment
 * (decision 29).
 */
export async function explainRejection(session: UsedSession): Promise<void> {
  const { stage, service, newPace, isExpired, showOutcome } = session;
  const answer = await requestUntilAnswered(() => service.status(), { stage, pace: newPace() });
  if (answer.kind === 'known') await showUsed(session, answer.status);
  else showOutcome(rejectedOutcome(isExpired() ? 'expired' : 'invalid'));
}

/** Shows the status until the payment is settled, or until the service rejects the token. */
export async function showUsed(session: UsedSession, first: IntentStatus): Promise<void> {
  const { service, newPace, showOutcome } = session;
  const pace = newPace();
  let status = first;
  showOutcome(usedOutcome(status));
  while (!isSettled(status)) {
    await pace.wait(READ_EVERY_MS);
    const answer = await service.status();
    if (answer.kind === 'rejected') return;
    if (answer.kind !== 'known' || answer.status === status) continue;
    status = answer.status;
    showOutcome(usedOutcome(status));
  }
}
