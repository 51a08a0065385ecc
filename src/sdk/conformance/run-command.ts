// Runs a command of this folder, and exits with the code that it returns.
import { warn } from './report';
import { UsageError } from './settings';

/** A UsageError is printed, and the exit code is 2. */
export function runCommand(main: (args: readonly string[]) => Promise<number>): void {
  void main(process.argv.slice(2))
    .catch((error: unknown) => {
      if (!(error instanceof UsageError)) throw error;
      warn(`conformance: ${error.message} See --help.`);
      return 2;
    })
    .then((code) => {
      process.exitCode = code;
    });
}
