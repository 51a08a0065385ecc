// A request's headers as they were sent: raw pairs, since Node's usual ones join or drop those that come repeatedly (decision 24). Its
// `headersDistinct` throws for a header named `__proto__` in versions that we run on (CVE-2026-21710).
import type { IncomingMessage } from 'node:http';

type Headers = ReadonlyMap<string, readonly string[]>;

/** On the request itself: an entry of a WeakMap for each costs more than to sort them. */
const SORTED = Symbol('headers by name');
interface Sortable extends IncomingMessage {
  [SORTED]?: Headers | undefined;
}

/** Every value of the header, in the order in which they came. @param name in lower case */
export function headerValues(request: Sortable, name: string): readonly string[] {
  const headers = (request[SORTED] ??= sort(request));
  return headers.get(name) ?? [];
}

/** Once per request: there may be thousands of pairs in 32 kB, and several are asked for. */
function sort({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Map<string, string[]>();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    const value = rawHeaders[index + 1] ?? '';
    const values = headers.get(name);
    if (values === undefined) headers.set(name, [value]);
    else values.push(value);
  }
  return headers;
}
