// The port of the metrics (architecture, section 7): who only looks is answered, and never ends the process.
import { serveMetrics } from '../../src/main/metrics-server';
import { createCountedServers } from '../support/counted-servers';
import { SILENT } from '../support/silent-log';

const servers = createCountedServers();
afterEach(() => {
  servers.closeAll();
});

async function ask(path: string, expose: () => Promise<string>) {
  const server = serveMetrics({ contentType: 'text/plain', expose }, SILENT);
  const { port } = await servers.start(server);
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: answer.status, text: await answer.text() };
}

it('answers with what the metrics say', async () => {
  await expect(ask('/metrics', () => Promise.resolve('up 1'))).resolves.toEqual({
    status: 200,
    text: 'up 1',
  });
});

it('answers 500 when they cannot be read', async () => {
  const answer = await ask('/metrics', () => Promise.reject(new Error('no')));
  expect(answer).toEqual({ status: 500, text: '' });
});

it('knows no other path', async () => {
  const answer = await ask('/v1', () => Promise.resolve('up 1'));
  expect(answer).toEqual({ status: 404, text: '' });
});
