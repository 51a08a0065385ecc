// The end of a workflow whose row is lost needs an approval.
import type { IntentId } from '../src/domain/ids';
import type { Closing } from '../src/ports/restores';
import type { PaymentDependencies } from './dependencies';

export function createClosingActivities({ lostCommits }: Pick<PaymentDependencies, 'lostCommits'>) {
  return {
    /** Whether an operator may end it. That spends the approval. */
    permitClosing: (intentId: IntentId, closing: Closing) =>
      lostCommits.permitClosing(intentId, closing),
  };
}
