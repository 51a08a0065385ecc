// The output of `npm start`: aligned columns, colour on a terminal only, a live line for steps that
// take over a second.

export type Terminal = ReturnType<typeof createTerminal>;

interface TerminalOptions {
  readonly output: { readonly isTTY?: boolean; write(text: string): unknown };
  readonly isColoured: boolean;
}

/** Leaves 40 of 80 columns for the detail of a step. */
const LABEL_WIDTH = 24;
const TIME_WIDTH = 9;
const SHOWN_AFTER_MS = 1_000;
const REFRESH_MS = 100;
const ERASE_LINE = '\r\u001b[2K';

export function createTerminal({ output, isColoured }: TerminalOptions) {
  const paint = (code: string) => (text: string) =>
    isColoured ? `\u001b[${code}m${text}\u001b[0m` : text;
  const [bold, dim, green, red] = [paint('1'), paint('2'), paint('32'), paint('31')];
  let shownStatus = '';
  const line = (text = '') => {
    output.write(`${shownStatus === '' ? '' : ERASE_LINE}${text}\n`);
    shownStatus = '';
  };
  const status = (text: string) => {
    if (text === shownStatus) return;
    shownStatus = text;
    output.write(`${ERASE_LINE}${text === '' ? '' : dim(text)}`);
  };
  /** Prints one finished step. */
  const done = (label: string, ms: number, detail = '') => {
    const time = formatMs(ms).padStart(TIME_WIDTH);
    const shown = detail === '' ? '' : `   ${dim(detail)}`;
    line(`  ${green('✓')} ${label.padEnd(LABEL_WIDTH)}${time}${shown}`);
  };
  const watched = output.isTTY === true ? countingUp(status) : namedOnce(line);
  /**
   * Runs one step; several may run at once. Shows it while it runs, and its time when it is done.
   */
  const step = async <Result>(
    label: string,
    work: () => Promise<Result>,
    detail: (result: Result) => string = () => '',
  ): Promise<Result> => {
    const startedAt = performance.now();
    const hide = watched(label, startedAt);
    const result = await work().finally(hide);
    done(label, performance.now() - startedAt, detail(result));
    return result;
  };
  /** Prints an error in one sentence. */
  const complain = (sentence: string) => {
    line(`  ${red('✗')} ${sentence}`);
  };
  return { line, done, complain, step, dim, bold };
}

/** Shows a step from its start on. @returns a function that hides it */
type Watched = (label: string, startedAt: number) => () => void;

/** On a terminal, one status line counts up for all running steps. */
function countingUp(status: (text: string) => void): Watched {
  const running = new Set<{ readonly label: string; readonly startedAt: number }>();
  let ticking: NodeJS.Timeout | undefined;
  const tick = () => {
    const now = performance.now();
    const shown = [...running]
      .filter(({ startedAt }) => now - startedAt > SHOWN_AFTER_MS)
      .map(({ label, startedAt }) => `${label} ${formatMs(now - startedAt)}`);
    status(shown.length === 0 ? '' : `  … ${shown.join(', ')}`);
  };
  return (label, startedAt) => {
    const step = { label, startedAt };
    running.add(step);
    ticking ??= setInterval(tick, REFRESH_MS);
    return () => {
      running.delete(step);
      if (running.size > 0) return;
      clearInterval(ticking);
      ticking = undefined;
      status('');
    };
  };
}

/** Elsewhere, each long step is printed once. */
function namedOnce(line: (text: string) => void): Watched {
  return (label) => {
    const naming = setTimeout(() => line(`  … ${label}`), SHOWN_AFTER_MS);
    return () => clearTimeout(naming);
  };
}

/** In milliseconds below a second, in seconds above. */
export function formatMs(ms: number): string {
  return ms < 1_000 ? `${ms.toFixed(0)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
