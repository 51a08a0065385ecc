// Ctrl-C stops the processes of the stage first, and then the bench.
import type { Terminal } from '../../src/dev/terminal';
import type { Stage } from './stage';

interface Ending {
  /** The stage whose processes have to be stopped. */
  stage?: Stage;
  /** Errors are expected from then on, and are not printed. */
  isStopping: boolean;
}

const INTERRUPTED = 130;

/** npm and the terminal both forward the signal, so only the first one counts. */
export function endOnSignals(terminal: Pick<Terminal, 'line'>): Ending {
  const ending: Ending = { isStopping: false };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (ending.isStopping) return;
      ending.isStopping = true;
      terminal.line('  stopping …');
      void (ending.stage?.stop() ?? Promise.resolve()).finally(() => process.exit(INTERRUPTED));
    });
  }
  process.once('exit', () => ending.stage?.kill());
  return ending;
}
