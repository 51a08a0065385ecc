// A request's headers as they were sent: Node's usual ones join or drop those that come repeatedly (decision 24).
import type { IncomingMessage } from 'node:http';

/** Every value of the header, in the order in which they came. @param name in lower case */
export function headerValues(request: IncomingMessage, name: string): readonly string[] {
  return request.headersDistinct[name] ?? [];
}
