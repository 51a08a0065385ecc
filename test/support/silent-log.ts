// A log that keeps nothing, for tests that are not about it.
import type { Log } from '../../src/ports/log';

export const SILENT: Log = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
