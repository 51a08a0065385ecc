// Loads the parts of the page that are first needed later.
import type * as Scanner from '../scan/scanner';

let failures = 0;

/** @throws when it cannot be loaded */
export function loadScanner(): Promise<typeof Scanner> {
  return load(SCANNER_URL) as Promise<typeof Scanner>;
}

/**
 * A browser never requests the address of a module again that it could not load. A fragment makes
 * it another address, and is not sent.
 */
async function load(url: string): Promise<unknown> {
  try {
    return await import(`${url}#${failures}`);
  } catch (error) {
    failures += 1;
    throw error;
  }
}
