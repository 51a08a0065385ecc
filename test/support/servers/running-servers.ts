// Passes the servers from Jest's global setup to its global teardown, two modules that share only
// the process.
import type { TestServers } from './test-servers';

const KEY = Symbol.for('payment-intents.test-servers');
type Holder = typeof globalThis & { [KEY]?: TestServers | undefined };

export function storeServers(servers: TestServers | undefined): void {
  const holder: Holder = globalThis;
  holder[KEY] = servers;
}

export function runningServers(): TestServers | undefined {
  const holder: Holder = globalThis;
  return holder[KEY];
}
