// Jest's global teardown: stops the servers of global-setup.ts, also after failed tests.
import { storeServers, runningServers } from '../servers/running-servers';

export default async function globalTeardown(): Promise<void> {
  const servers = runningServers();
  await servers?.stop();
  storeServers(undefined);
}
