// What `npm start` shows: aligned columns, colour on a terminal only, a live line for what takes more than a second.

export interface Terminal {
  readonly line: (text?: string) => void;
  /** One finished step. */
  readonly done: (label: string, ms: number, detail?: string) => void;
  /** Something that went wrong, in one sentence. */
  readonly complain: (sentence: string) => void;
  /** Runs one step; several may run at once. Shows it while it lasts, and its time when it is done. */
  readonly step: <Result>(label: string, work: () => Promise<Result>) => Promise<Result>;
  readonly dim: (text: string) => string;
  readonly bold: (text: string) => string;
}

interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

interface TerminalOptions {
  readonly output: Output;
  readonly isColoured: boolean;
}

const LABEL_WIDTH = 34;
const TIME_WIDTH = 9;
const SHOWN_AFTER_MS = 1_000;
const REFRESH_MS = 100;
const ERASE_LINE = '\r\u001b[2K';

interface RunningStep {
  readonly label: string;
  readonly startedAt: number;
  isTold: boolean;
}

export function createTerminal({ output, isColoured }: TerminalOptions): Terminal {
  const isLive = output.isTTY === true;
  const paint = (code: string) => (text: string) =>
    isColoured ? `\u001b[${code}m${text}\u001b[0m` : text;
  const [bold, dim, green, red] = [paint('1'), paint('2'), paint('32'), paint('31')];
  let shownStatus = '';
  const line = (text = '') => {
    output.write(`${shownStatus === '' ? '' : ERASE_LINE}${text}\n`);
    shownStatus = '';
  };
  const status = (text: string) => {
    if (!isLive || text === shownStatus) return;
    shownStatus = text;
    output.write(`${ERASE_LINE}${text === '' ? '' : dim(text)}`);
  };
  const done = (label: string, ms: number, detail = '') => {
    const time = formatMs(ms).padStart(TIME_WIDTH);
    const shown = detail === '' ? '' : `   ${dim(detail)}`;
    line(`  ${green('✓')} ${label.padEnd(LABEL_WIDTH)}${time}${shown}`);
  };
  const complain = (sentence: string) => {
    line(`  ${red('✗')} ${sentence}`);
  };
  return { line, done, complain, dim, bold, step: stepper({ isLive, line, status, done }) };
}

interface Lines extends Pick<Terminal, 'line' | 'done'> {
  readonly isLive: boolean;
  readonly status: (text: string) => void;
}

/** On a terminal one status line counts up for all steps that run; elsewhere each long step is named once. */
function stepper({ isLive, line, status, done }: Lines): Terminal['step'] {
  const running = new Set<RunningStep>();
  let ticking: NodeJS.Timeout | undefined;
  const tick = () => {
    const long = [...running].filter((step) => elapsed(step) > SHOWN_AFTER_MS);
    status(long.length === 0 ? '' : `  … ${long.map(describe).join(', ')}`);
    if (isLive) return;
    for (const step of long.filter(({ isTold }) => !isTold)) {
      step.isTold = true;
      line(`  … ${step.label}`);
    }
  };
  const finish = (step: RunningStep) => {
    running.delete(step);
    if (running.size > 0) return;
    clearInterval(ticking);
    ticking = undefined;
    status('');
  };
  return async (label, work) => {
    const step = { label, startedAt: performance.now(), isTold: false };
    running.add(step);
    ticking ??= setInterval(tick, REFRESH_MS);
    const result = await work().finally(() => {
      finish(step);
    });
    done(label, elapsed(step));
    return result;
  };
}

function describe(step: RunningStep): string {
  return `${step.label} ${formatMs(elapsed(step))}`;
}

/** Up to a second in milliseconds, beyond in seconds. */
export function formatMs(ms: number): string {
  return ms < 1_000 ? `${ms.toFixed(0)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

function elapsed({ startedAt }: RunningStep): number {
  return performance.now() - startedAt;
}
