// A question that is repeated until somebody answers: before the confirmation there is no hurry, and asking does no harm.
import type { Pace } from './confirmation';
import { unreachableView } from './screens/waiting';
import type { Stage } from './stage';

interface Unknown {
  readonly kind: 'unknown';
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 8_000;

/** Ends with an answer, or with the page: the payer sees that nobody answers, and may ask at once. */
export async function askUntilAnswered<Answer extends { readonly kind: string }>(
  question: () => Promise<Answer | Unknown>,
  { stage, pace }: { readonly stage: Stage; readonly pace: Pace },
): Promise<Exclude<Answer, Unknown>> {
  let isTold = false;
  let askNow = (): void => undefined;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    const answer = await question();
    if (isAnswered(answer)) return answer;
    const asked = new Promise<void>((resolve) => {
      askNow = resolve;
    });
    if (!isTold) {
      stage.show(
        unreachableView(() => {
          askNow();
        }),
      );
    }
    isTold = true;
    await Promise.race([asked, pace.wait(waitMs)]);
  }
}

function isAnswered<Answer extends { readonly kind: string }>(
  answer: Answer | Unknown,
): answer is Exclude<Answer, Unknown> {
  return answer.kind !== 'unknown';
}
