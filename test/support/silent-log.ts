// A log that discards all lines, for tests that do not check the log.
import type { Log } from '../../src/ports/observe';

export const SILENT: Log = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
