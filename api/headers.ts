// Reads the raw headers of a request, because Node's `headers` joins or drops repeated ones
// (decision 24). `headersDistinct` throws for a header named `__proto__` in Node versions that we
// support (CVE-2026-21710).
import type { IncomingMessage } from 'node:http';

/**
 * All values of the header, in the order received.
 * @param name in lower case
 */
export function headerValues({ rawHeaders }: IncomingMessage, name: string): readonly string[] {
  return rawHeaders.filter((_, index) => {
    const candidate = rawHeaders[index - 1];
    // There may be thousands of headers: lower-case only names of the right length.
    return index % 2 === 1 && candidate?.length === name.length && candidate.toLowerCase() === name;
  });
}
