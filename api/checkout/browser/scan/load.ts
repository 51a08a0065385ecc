// Loads the scanner when it is first needed.
import type * as Scanner from './scanner';

/** @throws when it cannot be loaded */
export function loadScanner(): Promise<typeof Scanner> {
  return import('./scanner');
}
