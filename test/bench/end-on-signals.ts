// Ctrl-C ends a bench in order: what its stage has started is stopped first.
import type { Terminal } from '../../src/dev/terminal';
import type { Stage } from './stage';

export interface Ending {
  /** What there is to stop. */
  stage?: Stage;
  /** What fails because everything is stopping is no news. */
  isStopping: boolean;
}

const INTERRUPTED = 130;

/** npm and the terminal both pass the signal on: the second one changes nothing. */
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
