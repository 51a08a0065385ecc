// Jest's global teardown: stops what global-setup.ts started, also after failed tests.
import { keepServers, runningServers } from './servers/running-servers';

export default async function globalTeardown(): Promise<void> {
  const servers = runningServers();
  await servers?.stop();
  keepServers(undefined);
}
