// What payctl writes: results to standard output, notices and progress to standard error.

/** @param lines made only where the story is printed for people */
export function printStory(story: object, asJson: boolean, lines: () => readonly string[]): void {
  const text = asJson ? JSON.stringify(story, null, 2) : lines().join('\n');
  process.stdout.write(`${text}\n`);
}

/** Prints to standard error, so that programs that read standard output never see it. */
export function printNotice(sentence: string): void {
  process.stderr.write(`payctl: ${sentence}\n`);
}

const PROGRESS_EVERY_ROWS = 250_000;

/** Prints the progress of each step of a long command, once every 250 000 rows. */
export function createProgressPrinter(): (done: string, rows: number) => void {
  let printed = 0;
  let before = '';
  return (done, rows) => {
    if (done !== before) printed = 0;
    before = done;
    if (rows < printed + PROGRESS_EVERY_ROWS) return;
    printed = rows;
    printNotice(`${rows} ${done} so far.`);
  };
}
