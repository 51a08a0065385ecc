// A request's headers as they were sent: raw pairs, since Node's usual ones join or drop those that come repeatedly (decision 24). Its
// `headersDistinct` throws for a header named `__proto__` in versions that we run on (CVE-2026-21710).
import type { IncomingMessage } from 'node:http';

/** Every value of the header, in the order in which they came. @param name in lower case */
export function headerValues({ rawHeaders }: IncomingMessage, name: string): readonly string[] {
  return rawHeaders.filter((_, index) => {
    const its = rawHeaders[index - 1];
    // There may be thousands: only names of this length are spelled in lower case.
    return index % 2 === 1 && its?.length === name.length && its.toLowerCase() === name;
  });
}
