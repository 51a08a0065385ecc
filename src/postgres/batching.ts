// Callers who ask the same question of different rows are answered by one statement (decision 121): a statement's way to Postgres
// and back costs both sides more than what it reads.
import DataLoader from 'dataloader';
import { performance } from 'node:perf_hooks';
import { DomainError } from '../domain/errors';
import { BATCHED_CALLERS_MAX, BATCHES_UNDER_WAY_MAX, BATCH_WAIT_MAX_MS } from '../domain/limits';

/** Answers each question at its own index, or fails for all. */
type AnswerAll<Question, Answer> = (questions: readonly Question[]) => Promise<readonly Answer[]>;

interface Asked<Question> {
  readonly question: Question;
  readonly sinceMs: number;
}

/**
 * @param answerAll given at most `BATCHED_CALLERS_MAX` questions; at most `BATCHES_UNDER_WAY_MAX` calls are under way
 * @param nowMs of a clock that nobody turns
 * @returns a function whose answer is read after its call. Alone it asks within the same turn of the event loop. Its error is that
 *   of `answerAll`, or DomainError `unavailable` when its turn did not come in time; whoever asks next is not concerned.
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

  const answer = async (asked: readonly Asked<Question>[]): Promise<readonly Answer[]> => {
    try {
      rejectLate(asked, nowMs());
      return await answerAll(asked.map(({ question }) => question));
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

/** While Postgres is silent each statement takes all of its time: who waits behind that is told, like who waits for a connection. */
function rejectLate(asked: readonly Asked<unknown>[], nowMs: number): void {
  const oldest = asked[0];
  if (oldest === undefined || nowMs - oldest.sinceMs <= BATCH_WAIT_MAX_MS) return;
  throw new DomainError('unavailable', { reason: 'postgres_unavailable' });
}

/**
 * The lists of what callers ask for as rows of `asked`, numbered by `place`. `(select $1)` hides the length of the lists from the
 * planner, which would plan anew for few callers.
 * @param columns the type of each, by its name; the first list is the parameter `first`
 */
export function batchedRows(first: number, columns: Readonly<Record<string, string>>): string {
  const lists = Object.values(columns).map((type, nth) => `(select $${first + nth}::${type}[])`);
  const names = [...Object.keys(columns), 'place'];
  return `unnest(${lists.join(', ')}) with ordinality as asked (${names.join(', ')})`;
}

/** The lists for {@link batchedRows}: one for each of these members of the rows. */
export function listsOf<Row>(rows: readonly Row[], ...members: (keyof Row)[]) {
  return members.map((member) => rows.map((row) => row[member]));
}
