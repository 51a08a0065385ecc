// The output of the setup: nothing while everything is in place, and one line for each step that
// takes more than a second.

/** A failure whose one sentence is shown without a stack trace. */
export class SetupError extends Error {
  name = 'SetupError';
}

const QUIET_MS = 1_000;
const LABEL_WIDTH = 46;

/**
 * Runs one step. A step that takes longer than a second is shown with its time; on a terminal the
 * time counts up.
 * @template T
 * @param {string} label
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function step(label, work) {
  const started = performance.now();
  const isTerminal = process.stderr.isTTY === true;
  let isShown = false;
  /** @param {string} mark @param {string} end */
  const show = (mark, end) => {
    const seconds = `${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s`;
    const start = isTerminal ? '\r' : '';
    process.stderr.write(`${start}  ${mark} ${label.padEnd(LABEL_WIDTH)}${seconds}${end}`);
  };
  const timer = setInterval(() => {
    if (isTerminal || !isShown) show('…', isTerminal ? '' : '\n');
    isShown = true;
  }, QUIET_MS);
  let mark = paint('33', '–');
  try {
    const result = await work();
    mark = paint('32', '✓');
    return result;
  } finally {
    clearInterval(timer);
    if (isShown) show(mark, '\n');
  }
}

/**
 * Prints one line, however quick the step was.
 * @param {string} text
 */
export function note(text) {
  process.stderr.write(`  ${paint('2', text)}\n`);
}

/** @param {string} sentence */
export function complain(sentence) {
  process.stderr.write(`  ${paint('31', '✗')} ${sentence}\n`);
}

/** @param {string} code @param {string} text */
function paint(code, text) {
  const isColoured = process.stderr.isTTY && !process.env['NO_COLOR'];
  return isColoured ? `\u001b[${code}m${text}\u001b[0m` : text;
}
