// Loads the parts of the page that are first needed later.
import type * as Scanner from '../scan/scanner';

let failures = 0;

/**
 * A browser never requests the address of a module again that it could not load. A fragment makes
 * it another address, and is not sent.
 * @throws when it cannot be loaded
 */
export async function loadScanner(): Promise<typeof Scanner> {
  try {
    return (await import(`${SCANNER_URL}#${failures}`)) as typeof Scanner;
  } catch (error) {
    failures += 1;
    throw error;
  }
}
