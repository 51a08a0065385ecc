// The server of the sandbox partners: key sets of protocol 4.5, and inboxes (architecture, section
// 7).
import { generateKeyPairSync } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createPartnerServer } from '../../src/sandbox/partner';
import { manualTime } from './manual-time';
import { recordingLog, makeFolder, removeFolder, type RecordingLog } from './sandbox-folder';

const PEM = String(
  generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({
    type: 'spki',
    format: 'pem',
  }),
);

let folder = '';
let partnersFile = '';
let url = '';
let log: RecordingLog;
let stop: () => Promise<void>;

async function start(): Promise<void> {
  log = recordingLog();
  const { clock, schedule } = manualTime();
  const server = createPartnerServer({ directory: folder, partnersFile, clock, schedule, log });
  url = `http://127.0.0.1:${await server.listen(0, '127.0.0.1')}`;
  stop = () => server.close();
}

beforeEach(async () => {
  folder = await makeFolder();
  partnersFile = join(folder, 'partners.json');
  await writePartners(['acme', 'k1']);
  await start();
});
afterEach(async () => {
  await stop();
  await removeFolder(folder);
});

async function writePartners(...partners: readonly [slug: string, kid: string][]): Promise<void> {
  const members = partners.map(([slug, kid]) => ({ slug, kid, public_key_pem: PEM }));
  await writeFile(partnersFile, JSON.stringify(members));
}

async function statusOf(path: string, init?: RequestInit): Promise<number> {
  const response = await fetch(url + path, init);
  await response.arrayBuffer();
  return response.status;
}

async function kidsOf(slug: string): Promise<unknown> {
  const response = await fetch(`${url}/${slug}/.well-known/jwks.json`);
  const { keys } = (await response.json()) as {
    readonly keys: readonly { readonly kid: string }[];
  };
  return keys.map(({ kid }) => kid);
}

async function inbox(slug: string): Promise<unknown> {
  return (await fetch(`${url}/${slug}/inbox`)).json();
}

const deliver = (slug: string, body: string, headers: Record<string, string> = {}) =>
  statusOf(`/${slug}/webhooks`, { method: 'POST', body, headers });

describe('the key set', () => {
  it('publishes the keys of its partner, both during a rotation', async () => {
    expect(await kidsOf('acme')).toEqual(['k1']);
    await writePartners(['acme', 'k1'], ['globex', 'g1'], ['acme', 'k2']);
    expect(await kidsOf('acme')).toEqual(['k1', 'k2']);
  });

  it('of a partner added while the sandbox runs is published at once', async () => {
    expect(await statusOf('/globex/.well-known/jwks.json')).toBe(404);
    await writePartners(['acme', 'k1'], ['globex', 'g1']);
    expect(await kidsOf('globex')).toEqual(['g1']);
  });

  it('stays the same while the file is half written, and the log reports it', async () => {
    expect(await kidsOf('acme')).toEqual(['k1']);
    await writeFile(partnersFile, '[{ "slug": "acme", "ki');
    expect(await kidsOf('acme')).toEqual(['k1']);
    expect(log.messages).toContain('the sandbox partners file is not readable');
  });

  it('is not found while there is no file', async () => {
    await rm(partnersFile);
    expect(await statusOf('/acme/.well-known/jwks.json')).toBe(404);
  });
});

describe('the inbox', () => {
  it('is empty before the first webhook', async () => {
    expect(await inbox('acme')).toEqual([]);
  });

  it('shows headers in lower case and the raw body, oldest first, also after a restart', async () => {
    expect(await deliver('acme', '{ "a": 1 }', { 'Webhook-Id': 'evt_1' })).toBe(204);
    expect(await deliver('acme', 'not even JSON, đồng')).toBe(204);
    await stop();
    await start();
    expect(await inbox('acme')).toEqual([
      {
        received_at: '2025-01-15T00:00:00.000Z',
        headers: expect.objectContaining({ 'webhook-id': 'evt_1' }) as unknown,
        body: '{ "a": 1 }',
      },
      expect.objectContaining({ body: 'not even JSON, đồng' }),
    ]);
  });

  it('of one partner does not show the webhooks of another', async () => {
    await writePartners(['acme', 'k1'], ['globex', 'g1']);
    await deliver('globex', 'for globex');
    expect(await inbox('acme')).toEqual([]);
  });

  it('rejects a webhook over 64 kB', async () => {
    expect(await deliver('acme', 'x'.repeat(65_536))).toBe(204);
    expect(await deliver('acme', 'x'.repeat(65_537))).toBe(413);
  });
});

describe('any other path', () => {
  it.each([
    '/',
    '/acme',
    '/acme/inbox/',
    '/nobody/inbox',
    '/../inbox',
    '/%2e%2e/inbox',
    '/acme/webhooks',
  ])('is not found: GET %s', async (path) => {
    expect(await statusOf(path)).toBe(404);
  });

  it('except the health check is not found', async () => {
    expect(await statusOf('/healthz')).toBe(200);
  });
});
