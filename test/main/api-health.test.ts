// The health check of the API's container, as its image runs it: a process of its own, with the settings of the API.
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { CERT_FILE, certificateAndKey, KEY_FILE } from '../support/http/certificate';
import { runToEnd } from '../support/programs/run-to-end';
import { serveMetrics } from '../../src/main/metrics-server';
import { SILENT } from '../support/silent-log';
import { createRequestLog } from '../../src/logger';
import type { RequestLine } from '../../src/ports/log';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readTlsFiles } from '../../src/main/api/tls-files';
import { recogniseErrorsOfNode } from '../support/builders';
import { withServers } from '../support/servers/counted-servers';

const servers = withServers();

/** What answers `/readyz` by this status. */
async function listening(server: Server, status: number): Promise<string> {
  server.on('request', ({ url }, response) => {
    response.writeHead(url === '/readyz' ? status : 404).end();
  });
  const { port } = await servers.start(server);
  return port;
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

// The port of the metrics (architecture, section 7): who only looks is answered, and never ends the process.
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

// One line per request (architecture, section 7), written before the next: a process that is killed loses none.
describe('the request log', () => {
  const LINE: RequestLine = {
    request_id: 'req_0',
    method: 'GET',
    route: '/healthz',
    status: 200,
    duration_ms: 1,
    about: { partner_id: 'acme' },
    rejection: undefined,
  };

  function openLog(level = 'info') {
    const writes: string[] = [];
    const log = createRequestLog('api', level, { write: (text) => void writes.push(text) });
    return { writes, log };
  }

  it('each line is written before the call returns', () => {
    const { writes, log } = openLog();
    for (const id of ['req_1', 'req_2']) log.answered({ ...LINE, request_id: id });
    const ids = writes.map((text) => (JSON.parse(text) as RequestLine).request_id);
    expect(ids).toEqual(['req_1', 'req_2']);
  });

  it('a line holds what the request was about and why it was refused, beside the members of every line', () => {
    const { writes, log } = openLog();
    log.answered({ ...LINE, status: 401, rejection: 'signature_wrong' });
    const { time, ...line } = JSON.parse(writes[0] ?? 'null') as Record<string, unknown>;
    expect(Date.parse(String(time))).not.toBeNaN();
    expect(line).toEqual({
      level: 30,
      process: 'api',
      request_id: 'req_0',
      method: 'GET',
      route: '/healthz',
      status: 401,
      duration_ms: 1,
      partner_id: 'acme',
      rejection: 'signature_wrong',
      msg: 'request',
    });
  });

  it('nothing is written while the level is above info', () => {
    const { writes, log } = openLog('warn');
    log.answered(LINE);
    expect(writes).toEqual([]);
  });
});

// "A setting that is missing or wrong ends the process with exit code 2 and a sentence" (docs/configuration.md): of the
// files that the API serves TLS with (decision 23).
describe('the TLS files', () => {
  recogniseErrorsOfNode();

  const folder = mkdtempSync(join(tmpdir(), 'tls-files-'));
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  function fileOf(name: string, text: string): string {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  }

  const otherKey = () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    return fileOf('other.pem', String(privateKey.export({ type: 'pkcs8', format: 'pem' })));
  };
  const read = (cert: string, key: string) => () =>
    readTlsFiles({ TLS_CERT_FILE: cert, TLS_KEY_FILE: key });

  it('are read as they are', () => {
    expect(read(CERT_FILE, KEY_FILE)()).toEqual(certificateAndKey());
  });

  it('are none where neither is named', () => {
    expect(readTlsFiles({})).toBeUndefined();
  });

  it.each<[string, () => [cert: string, key: string], RegExp]>([
    [
      'a certificate that is not there',
      () => [join(folder, 'none.pem'), KEY_FILE],
      /^TLS_CERT_FILE names a file that cannot be read \(ENOENT\)\.$/,
    ],
    [
      'a key that is a folder',
      () => [CERT_FILE, folder],
      /^TLS_KEY_FILE names a file that cannot be read \(EISDIR\)\.$/,
    ],
    [
      'an empty certificate',
      () => [fileOf('empty.pem', ''), KEY_FILE],
      /^TLS_CERT_FILE names a file that is not PEM\.$/,
    ],
    [
      'a certificate with the key of another',
      () => [CERT_FILE, otherKey()],
      /^TLS_CERT_FILE and TLS_KEY_FILE name files that do not go together \(ERR_\w+\), and should name a certificate chain and its private key without a passphrase, both PEM\.$/,
    ],
    ['the two in the wrong order', () => [KEY_FILE, CERT_FILE], /do not go together/],
  ])('are refused with %s', (_name, files, sentence) => {
    const failing = read(...files());
    expect(failing).toThrow(sentence);
    expect(failing).toThrow(expect.objectContaining({ name: 'ConfigError' }) as Error);
  });
});
