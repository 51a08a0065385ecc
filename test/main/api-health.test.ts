// The health check of the API's container, as its image runs it: a process of its own, with the settings of the API.
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { listen } from '../../src/main/listen';
import { CERT_FILE, certificateAndKey } from '../support/certificate';
import { runToEnd } from '../support/run-to-end';

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

/** What answers `/readyz` by this status. */
async function listening(server: Server, status: number): Promise<string> {
  servers.push(server);
  server.on('request', ({ url }, response) => {
    response.writeHead(url === '/readyz' ? status : 404).end();
  });
  return String(await listen(server, 0, '127.0.0.1'));
}

const check = (settings: Readonly<Record<string, string>>) =>
  runToEnd('src/main/api-health.ts', [], settings);

it.each([
  ['is ready', 200, 0],
  ['is not', 503, 1],
] as const)('of an API that %s: %d, ends with %d', async (_what, status, code) => {
  const PORT = await listening(createServer(), status);
  await expect(check({ HOST: '127.0.0.1', PORT })).resolves.toMatchObject({ code });
});

it('speaks TLS with an API that serves it, whatever name its certificate is for', async () => {
  const PORT = await listening(createTlsServer(certificateAndKey()), 200);
  const settings = { HOST: '0.0.0.0', PORT, TLS_CERT_FILE: CERT_FILE };
  await expect(check(settings)).resolves.toMatchObject({ code: 0, stderr: '' });
});

it('ends with 1 where nobody listens', async () => {
  const server = createServer();
  const PORT = await listening(server, 200);
  server.close();
  await expect(check({ PORT })).resolves.toMatchObject({ code: 1 });
});
