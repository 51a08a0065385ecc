// Loads the parts of the page that are first needed later.
import type * as Scanner from '../scan/scanner';
import type * as LinkCode from '../session/link-code';

let failures = 0;

/** @throws when it cannot be loaded */
export function loadScanner(): Promise<typeof Scanner> {
  return load(SCANNER_URL) as Promise<typeof Scanner>;
}

/** @throws when it cannot be loaded */
export function loadLinkCode(): Promise<typeof LinkCode> {
  return load(LINK_CODE_URL) as Promise<typeof LinkCode>;
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
