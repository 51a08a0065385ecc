// Repeats a request until the service answers. It is used before the confirmation, when a repeat is
// harmless.
import type { Unknown } from './answers';
import type { Pace } from '../confirmation';
import { unreachableView } from '../screens/waiting';
import type { Stage } from '../stage';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 8_000;

/**
 * Shows the payer that the service does not answer, with a button to retry at once. Ends only with
 * an answer.
 */
export async function requestUntilAnswered<Answer extends { readonly kind: string }>(
  request: () => Promise<Answer | Unknown>,
  { stage, pace }: { readonly stage: Stage; readonly pace: Pace },
): Promise<Exclude<Answer, Unknown>> {
  const isAnswered = (answer: Answer | Unknown): answer is Exclude<Answer, Unknown> =>
    answer.kind !== 'unknown';
  let retryNow = (): void => undefined;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    const answer = await request();
    if (isAnswered(answer)) return answer;
    const retryRequested = new Promise<void>((resolve) => {
      retryNow = resolve;
    });
    // Shown once: a view that is shown again takes the focus from the button.
    if (waitMs === FIRST_WAIT_MS) {
      stage.show(unreachableView(() => retryNow()));
    }
    await Promise.race([retryRequested, pace.wait(waitMs)]);
  }
}
