// A request's headers as they were sent: raw pairs, since Node joins or drops repeated ones before code sees them
// (decision 24).
import type { IncomingMessage } from 'node:http';

type Headers = ReadonlyMap<string, readonly string[]>;

/** Sorted once per request: there may be thousands of pairs in 32 kB, and several are asked for. */
const sorted = new WeakMap<IncomingMessage, Headers>();

/** Every value of the header, in the order in which they came. @param name in lower case */
export function headerValues(request: IncomingMessage, name: string): readonly string[] {
  const headers = sorted.get(request) ?? sort(request);
  return headers.get(name) ?? [];
}

function sort(request: IncomingMessage): Headers {
  const headers = new Map<string, string[]>();
  const { rawHeaders } = request;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    const values = headers.get(name);
    if (values === undefined) headers.set(name, [rawHeaders[index + 1] ?? '']);
    else values.push(rawHeaders[index + 1] ?? '');
  }
  sorted.set(request, headers);
  return headers;
}
