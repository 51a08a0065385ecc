// The health check of the API's container, as its image runs it: a separate process with the
// settings of the API.
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { CERT_FILE, certificateAndKey, KEY_FILE } from '../support/http/certificate';
import { runToEnd } from '../support/programs/run-to-end';
import { serveMetrics } from '../../src/main/metrics-server';
import { SILENT } from '../support/silent-log';
import { createRequestLog } from '../../src/observe/logger';
import { VERSION } from '../../src/observe/version';
import type { RequestLine } from '../../src/ports/observe';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readTlsFiles } from '../../src/main/api-files';
import { recogniseErrorsOfNode } from '../support/builders';
import { withServers } from '../support/servers/counted-servers';

const servers = withServers();

/** Starts a server that answers `/readyz` with this status. @returns its port */
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
  ['is not ready', 503, 1],
] as const)('the check of an API that %s (%d) exits with %d', async (_what, status, code) => {
  const PORT = await listening(createServer(), status);
  await expect(check({ HOST: '127.0.0.1', PORT })).resolves.toMatchObject({ code });
});

it('the check uses TLS with an API that serves TLS, whatever name its certificate has', async () => {
  const PORT = await listening(createTlsServer(certificateAndKey()), 200);
  const settings = { HOST: '0.0.0.0', PORT, TLS_CERT_FILE: CERT_FILE };
  await expect(check(settings)).resolves.toMatchObject({ code: 0, stderr: '' });
});

it('the check exits with 1 when no server listens', async () => {
  const server = createServer();
  const PORT = await listening(server, 200);
  server.close();
  await expect(check({ PORT })).resolves.toMatchObject({ code: 1 });
});

// The metrics port (architecture, section 7): every request gets an answer, and none ends the
// process.
async function requestMetrics(path: string, expose: () => Promise<string>) {
  const server = serveMetrics({ contentType: 'text/plain', expose }, SILENT);
  const { port } = await servers.start(server);
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: answer.status, text: await answer.text() };
}

it('the metrics port answers with the metrics', async () => {
  await expect(requestMetrics('/metrics', () => Promise.resolve('up 1'))).resolves.toEqual({
    status: 200,
    text: 'up 1',
  });
});

it('the metrics port answers 500 when the metrics cannot be read', async () => {
  const answer = await requestMetrics('/metrics', () => Promise.reject(new Error('no')));
  expect(answer).toEqual({ status: 500, text: '' });
});

it.each([
  ['/livez', true, 200],
  ['/livez', false, 200],
  ['/readyz', true, 200],
  ['/readyz', false, 503],
])(
  'the metrics port answers %s of a process that is ready=%s with %d',
  async (path, is, status) => {
    const expose = () => Promise.resolve('');
    const metrics = { contentType: 'text/plain', expose };
    const { port } = await servers.start(serveMetrics(metrics, SILENT, () => Promise.resolve(is)));
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    expect([answer.status, await answer.text()]).toEqual([status, '']);
  },
);

it('the metrics port answers 404 for any other path', async () => {
  const answer = await requestMetrics('/v1', () => Promise.resolve('up 1'));
  expect(answer).toEqual({ status: 404, text: '' });
});

// One line per request (architecture, section 7), written synchronously: a killed process loses no
// line.
describe('the request log', () => {
  const LINE: RequestLine = {
    request_id: 'req_0',
    method: 'GET',
    route: '/healthz',
    status: 200,
    duration_ms: 1,
    about: { partner_id: 'acme' },
    rejection: undefined,
    member: undefined,
  };

  function openLog(level = 'info') {
    const writes: string[] = [];
    const log = createRequestLog('api', level, { write: (text) => void writes.push(text) });
    return { writes, log };
  }

  it('writes each line before the call returns', () => {
    const { writes, log } = openLog();
    for (const id of ['req_1', 'req_2']) log.answered({ ...LINE, request_id: id });
    const ids = writes.map((text) => (JSON.parse(text) as RequestLine).request_id);
    expect(ids).toEqual(['req_1', 'req_2']);
  });

  it('writes the subject of the request and the reason of a rejection, beside the members of every line', () => {
    const { writes, log } = openLog();
    log.answered({ ...LINE, status: 401, rejection: 'signature_wrong' });
    const { time, ...line } = JSON.parse(writes[0] ?? 'null') as Record<string, unknown>;
    expect(Date.parse(String(time))).not.toBeNaN();
    expect(line).toEqual({
      level: 'info',
      service: 'payment-intents-api',
      version: VERSION,
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

  it('writes nothing while the level is above info', () => {
    const { writes, log } = openLog('warn');
    log.answered(LINE);
    expect(writes).toEqual([]);
  });
});

// "A setting that is missing or wrong ends the process with exit code 2 and a sentence"
// (docs/configuration.md): the files with which the API serves TLS (decision 23).
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

  it('are read unchanged', () => {
    expect(read(CERT_FILE, KEY_FILE)()).toEqual(certificateAndKey());
  });

  it('are undefined when neither is set', () => {
    expect(readTlsFiles({})).toBeUndefined();
  });

  it.each<[string, () => [cert: string, key: string], RegExp]>([
    [
      'a certificate that does not exist',
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
  ])('are rejected with %s', (_name, files, sentence) => {
    const failing = read(...files());
    expect(failing).toThrow(sentence);
    expect(failing).toThrow(expect.objectContaining({ name: 'ConfigError' }) as Error);
  });
});
