// A question that is repeated until somebody answers: before the confirmation there is no hurry, and asking does no harm.
import type { Unknown } from './answers';
import type { Pace } from '../confirmation';
import { unreachableView } from '../screens/waiting';
import type { Stage } from '../stage';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 8_000;

/** Ends with an answer, or with the page: the payer sees that nobody answers, and may ask at once. */
export async function requestUntilAnswered<Answer extends { readonly kind: string }>(
  question: () => Promise<Answer | Unknown>,
  { stage, pace }: { readonly stage: Stage; readonly pace: Pace },
): Promise<Exclude<Answer, Unknown>> {
  const isAnswered = (answer: Answer | Unknown): answer is Exclude<Answer, Unknown> =>
    answer.kind !== 'unknown';
  let askNow = (): void => undefined;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    const answer = await question();
    if (isAnswered(answer)) return answer;
    const asked = new Promise<void>((resolve) => {
      askNow = resolve;
    });
    // Once: a view that is shown again takes the focus from the button.
    if (waitMs === FIRST_WAIT_MS) {
      stage.show(
        unreachableView(() => {
          askNow();
        }),
      );
    }
    await Promise.race([asked, pace.wait(waitMs)]);
  }
}
