// TLS of the API (protocol 1.1; decision 23).
import type { Server } from 'node:http';
import { request } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { connect, type ConnectionOptions, type SecureVersion } from 'node:tls';
import { ofOneProvider } from '../../src/config/providers';
import { readApiConfig } from '../../src/config/config';
import { aServer } from '../support/servers/bare-server';
import { CERTIFICATE, certificateAndKey } from '../support/http/certificate';

let server: Server;
let port: number;

beforeAll(async () => {
  ({ server, port } = await aServer((_, response) => response.end('hello'), {
    tls: certificateAndKey(),
  }));
});
afterAll(() => {
  server.close();
});

/**
 * A client that trusts the certificate and uses one TLS version, with the ciphers old versions
 * need.
 */
const speaking = (version: SecureVersion): ConnectionOptions => ({
  host: '127.0.0.1',
  port,
  ca: CERTIFICATE,
  minVersion: version,
  maxVersion: version,
  ciphers: 'DEFAULT@SECLEVEL=0',
});

function get(): Promise<string> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, ca: CERTIFICATE, agent: false }, (incoming) => {
      let text = '';
      incoming.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
      incoming.on('end', () => resolve(text));
    })
      .on('error', reject)
      .end();
  });
}

/** @returns the negotiated version, or the error code of the rejection */
function shakeHands(options: ConnectionOptions): Promise<string | null | undefined> {
  return new Promise((resolve) => {
    const socket = connect(options, () => {
      resolve(socket.getProtocol());
      socket.destroy();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
  });
}

function sendPlain(text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connectTcp(port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer));
  });
}

describe('a server with a certificate', () => {
  it('answers over TLS', async () => {
    await expect(get()).resolves.toBe('hello');
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('speaks %s', async (version) => {
    await expect(shakeHands(speaking(version))).resolves.toBe(version);
  });

  it.each(['TLSv1', 'TLSv1.1'] as const)('rejects %s as too old', async (old) => {
    await expect(shakeHands(speaking(old))).resolves.toBe('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION');
  });

  it.each([
    ['a plain request', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['nonsense', 'nonsense\r\n\r\n'],
  ])('cuts a connection that sends %s, and keeps serving', async (_name, text) => {
    expect(await sendPlain(text)).not.toContain('HTTP');
    await expect(get()).resolves.toBe('hello');
  });
});

describe('the settings of the API', () => {
  const SETTINGS = {
    DATABASE_URL: 'postgres://127.0.0.1/payments',
    KEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    INSTALLATION_KEY: Buffer.alloc(32, 9).toString('base64'),
    ...ofOneProvider('https://provider.example', 'a credential of the provider'),
  };
  const FILES = { TLS_CERT_FILE: 'cert.pem', TLS_KEY_FILE: 'key.pem' };
  const start = (more: Record<string, string>) => () => readApiConfig({ ...SETTINGS, ...more });

  it('are rejected in prod without TLS and without a trusted proxy', () => {
    expect(start({ SERVICE_ENV: 'prod' })).toThrow(/In prod the API serves TLS only/);
  });

  it.each<[string, Record<string, string>]>([
    ['a certificate', { SERVICE_ENV: 'prod', ...FILES }],
    ['a trusted proxy', { SERVICE_ENV: 'prod', TRUSTED_PROXY_HOPS: '1' }],
    ['the sandbox', { SERVICE_ENV: 'sandbox' }],
  ])('are accepted with %s', (_name, more) => {
    expect(start(more)()).toMatchObject({ SERVICE_ENV: more['SERVICE_ENV'] });
  });

  it.each(Object.entries(FILES))('are rejected with only %s, in any environment', (name, file) => {
    expect(start({ SERVICE_ENV: 'sandbox', [name]: file })).toThrow(/go together/);
  });
});
