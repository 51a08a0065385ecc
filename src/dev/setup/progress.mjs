// What the setup tells people: nothing while all is in place, one line for each step that takes more than a second.

/** A failure that is told in its one sentence, without a stack trace. */
export class SetupError extends Error {
  name = 'SetupError';
}

const QUIET_MS = 1_000;
const LABEL_WIDTH = 46;

/**
 * Runs one step. A step that takes longer than a second is shown with its time; on a terminal the time counts up.
 * @template T
 * @param {string} label
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function step(label, work) {
  const started = performance.now();
  const line = openLine(label, started);
  try {
    const result = await work();
    line.close('✓', '32');
    return result;
  } catch (error) {
    line.close('–', '33');
    throw error;
  }
}

/**
 * One line that is worth telling even when it was quick.
 * @param {string} text
 */
export function note(text) {
  process.stderr.write(`  ${paint('2', text)}\n`);
}

/** @param {string} sentence */
export function complain(sentence) {
  const mark = process.stderr.isTTY && !process.env['NO_COLOR'] ? '\u001b[31m✗\u001b[0m' : '✗';
  process.stderr.write(`  ${mark} ${sentence}\n`);
}

/**
 * @param {string} label
 * @param {number} started
 */
function openLine(label, started) {
  const terminal = process.stderr.isTTY === true;
  let shown = false;
  const show = () => {
    if (shown && !terminal) return;
    shown = true;
    const time = terminal ? seconds(started) : '';
    process.stderr.write(
      `${terminal ? '\r' : ''}  … ${label.padEnd(LABEL_WIDTH)}${time}${terminal ? '' : '\n'}`,
    );
  };
  const timer = setInterval(show, QUIET_MS);
  return {
    /** @param {string} mark @param {string} color */
    close(mark, color) {
      clearInterval(timer);
      if (!shown) return;
      const start = terminal ? '\r' : '';
      process.stderr.write(
        `${start}  ${paint(color, mark)} ${label.padEnd(LABEL_WIDTH)}${seconds(started)}\n`,
      );
    },
  };
}

/** @param {number} started */
function seconds(started) {
  return `${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s`;
}

/** @param {string} code @param {string} text */
function paint(code, text) {
  const colored = process.stderr.isTTY && !process.env['NO_COLOR'];
  return colored ? `\u001b[${code}m${text}\u001b[0m` : text;
}
