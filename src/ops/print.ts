// A table for people, JSON for programs; sentences on standard error for whoever watches.

/** JSON for programs, and for people the lines that are made of it. */
export function printStory(story: object, asJson: boolean, lines: () => readonly string[]): void {
  const text = asJson ? JSON.stringify(story, null, 2) : lines().join('\n');
  process.stdout.write(`${text}\n`);
}

/** One sentence on standard error, which does not disturb what standard output is read for. */
export function tell(sentence: string): void {
  process.stderr.write(`payctl: ${sentence}\n`);
}

const PROGRESS_EVERY_ROWS = 250_000;

/** Of what takes long: how many rows are done, every 250 000 of each step. */
export function createProgressPrinter(): (done: string, rows: number) => void {
  let told = 0;
  let before = '';
  return (done, rows) => {
    if (done !== before) told = 0;
    before = done;
    if (rows < told + PROGRESS_EVERY_ROWS) return;
    told = rows;
    tell(`${rows} ${done} so far.`);
  };
}
