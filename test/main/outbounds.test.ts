// The connections of a worker's outward calls: each corridor has its own.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { PROVIDER_CONNECTIONS } from '../../src/domain/payouts/limits';
import { readWorkerConfig } from '../../src/config/config';
import { openTracing } from '../../src/main/start-tracing';
import { listen } from '../../src/main/listen';
import { createOutbounds } from '../../src/main/worker/outbounds';
import { productEnvironment } from '../bench/environments';
import { SILENT } from '../support/silent-log';

const CONFIG = readWorkerConfig(productEnvironment({ databaseUrl: 'postgres://127.0.0.1/none' }));
const tracing = openTracing('worker', {}, SILENT);

it('a corridor whose calls all wait leaves another its connections', async () => {
  let waiting = 0;
  const server = createServer(({ url }, response) => {
    if (url === '/answer') return response.end('answered');
    waiting += 1;
    return server.emit('waiting');
  });
  const origin = `http://127.0.0.1:${String(await listen(server, 0, '127.0.0.1'))}`;
  const { providers } = createOutbounds(CONFIG, tracing, new AbortController().signal);
  const get = (path: string, timeoutMs: number) => {
    const url = `${origin}${path}`;
    return { method: 'GET', url, timeoutMs, maxBytes: 100 } as const;
  };
  const calls = Array.from({ length: PROVIDER_CONNECTIONS }, () =>
    providers.th_qrpay.send(get('/wait', 60_000)),
  );
  const ended = Promise.allSettled(calls);
  while (waiting < PROVIDER_CONNECTIONS) await once(server, 'waiting');
  const { body } = await providers.vn_qrpay.send(get('/answer', 10_000));
  expect(body.toString()).toBe('answered');
  server.closeAllConnections();
  await ended;
  await Promise.all(Object.values(providers).map((outbound) => outbound.close()));
  server.close();
});
