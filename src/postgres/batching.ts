// Callers that need the same query for different rows share one statement (decision 121): the round
// trip of a statement costs both sides more than what it reads.
import DataLoader from 'dataloader';
import { performance } from 'node:perf_hooks';
import { DomainError } from '../domain/errors';
import { BATCHED_CALLERS_MAX, BATCHES_UNDER_WAY_MAX, BATCH_WAIT_MAX_MS } from '../domain/limits';

/** Returns the answer to each question at the question's index, or fails for all. */
type AnswerAll<Question, Answer> = (questions: readonly Question[]) => Promise<readonly Answer[]>;

interface Queued<Question> {
  readonly question: Question;
  readonly sinceMs: number;
}

/**
 * @param answerAll gets at most `BATCHED_CALLERS_MAX` questions; at most `BATCHES_UNDER_WAY_MAX`
 *   calls are under way
 * @param nowMs a monotonic clock
 * @returns a function that gives an answer which was read after the call. A call that comes alone
 *   is sent within the same turn of the event loop. It fails with the error of `answerAll`, or
 *   with DomainError `unavailable` when its batch did not begin in time. Later batches are not
 *   affected.
 */
export function createBatching<Question, Answer>(
  answerAll: AnswerAll<Question, Answer>,
  nowMs = () => performance.now(),
): (question: Question) => Promise<Answer> {
  const waiting: (() => void)[] = [];
  let underWay = 0;
  const begin = () => {
    while (underWay < BATCHES_UNDER_WAY_MAX) {
      const dispatch = waiting.shift();
      if (dispatch === undefined) return;
      underWay += 1;
      dispatch();
    }
  };
  const beginSoon = () => setImmediate(begin);

  const answer = async (batch: readonly Queued<Question>[]): Promise<readonly Answer[]> => {
    try {
      rejectLate(batch, nowMs());
      return await answerAll(batch.map(({ question }) => question));
    } finally {
      underWay -= 1;
      beginSoon();
    }
  };

  const loader = new DataLoader(answer, {
    cache: false,
    maxBatchSize: BATCHED_CALLERS_MAX,
    batchScheduleFn(dispatch) {
      waiting.push(dispatch);
      beginSoon();
    },
  });
  return (question) => loader.load({ question, sinceMs: nowMs() });
}

/**
 * While Postgres does not answer, each statement takes until its timeout. A batch that waited too
 * long behind such statements fails as `unavailable`, like a caller that waits for a connection.
 */
function rejectLate(batch: readonly Queued<unknown>[], nowMs: number): void {
  const oldest = batch[0];
  if (oldest === undefined || nowMs - oldest.sinceMs <= BATCH_WAIT_MAX_MS) return;
  throw new DomainError('unavailable', { reason: 'postgres_unavailable' });
}

/**
 * The callers' lists as rows of `batch`, numbered by `ordinal`. `(select $1)` hides the length of
 * the lists from the planner, which would otherwise make another plan for few callers.
 * @param columns the type of each column, by its name; the first list is the parameter `first`
 */
export function batchedRows(first: number, columns: Readonly<Record<string, string>>): string {
  const lists = Object.values(columns).map((type, nth) => `(select $${first + nth}::${type}[])`);
  const names = [...Object.keys(columns), 'ordinal'];
  return `unnest(${lists.join(', ')}) with ordinality as batch (${names.join(', ')})`;
}

/** The lists for {@link batchedRows}: for each of these members its values in all rows. */
export function listsOf<Row>(rows: readonly Row[], ...members: (keyof Row)[]) {
  return members.map((member) => rows.map((row) => row[member]));
}
