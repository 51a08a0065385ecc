// The page that shows the contract, in a real browser: complete, served by this process alone, and
// without a policy violation.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createSandboxServer,
  HttpRejection,
  type SandboxServer,
} from '../../src/sandbox/http-server';
import { CONTRACT_FILE, OPERATIONS } from '../support/contract/contract-document';
import { TOOL_TIMEOUT_MS } from '../support/programs/fixture-project';
import { openReference } from './browser-look';
import { manualTime } from './manual-time';
import { recordingLog } from './sandbox-folder';

let server: SandboxServer;
let url: string;

beforeAll(async () => {
  const rejectAll = () => Promise.reject(new HttpRejection(404, 'There is nothing here.'));
  const { schedule } = manualTime();
  server = createSandboxServer(rejectAll, { schedule, log: recordingLog() });
  url = `http://127.0.0.1:${String(await server.listen(0, '127.0.0.1'))}`;
});
afterAll(() => server.close());

it(
  'shows every operation, webhook, scheme and schema, and has no input fields',
  async () => {
    const seen = await openReference(`${url}/docs`);
    expect(seen).toMatchObject({ complaints: [], elsewhere: [], failed: [], inputs: 0 });
    expect(seen.title).toBe('Partner Payment Intent API');
    // Swagger UI inserts zero-width spaces into long paths.
    const shown = seen.operations.map((path) => path.replaceAll('\u200b', ''));
    expect(shown).toEqual(expect.arrayContaining(OPERATIONS.map(({ path }) => path)));
    expect(shown).toHaveLength(OPERATIONS.length + 5);
    expect(seen.openOperations).toBe(shown.length);
    expect(seen.schemes).toEqual([
      'SigningKeyId: X-Service-Key-Id',
      'SigningTimestamp: X-Service-Timestamp',
      'SigningNonce: X-Service-Nonce',
      'SigningSignature: X-Service-Signature',
      'SessionToken',
    ]);
    expect(seen.schemeText).toContain('xn90ArDG/JrHgrPim694413PHslRHDaiLYt3NpAznno=');
    expect(seen.statuses).toEqual(expect.arrayContaining(['201', '400', '401', '422', '503']));
    expect(seen.schemas).toEqual(expect.arrayContaining(['SessionTokenClaims', 'PaymentIntent']));
  },
  TOOL_TIMEOUT_MS,
);

it.each(['yaml', 'json'])('serves the contract file unchanged as %s', async (ending) => {
  const answer = await fetch(`${url}/docs/openapi.${ending}`);
  const file = CONTRACT_FILE.replace(/yaml$/, ending);
  expect(await answer.text()).toBe(await readFile(file, 'utf8'));
});

it.each(['/docs', '/docs/', '/docs/start.js', '/docs/style.css', '/docs/swagger-ui-bundle.js'])(
  '%s allows no other origin and nothing inline',
  async (path) => {
    const { status, headers } = await fetch(url + path);
    expect(status).toBe(200);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'/,
    );
    expect(headers.get('content-security-policy')).not.toContain('unsafe');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  },
);

it.each(['/docs/index.html', '/docs/../package.json', '/docs/%2e%2e/partners.json', '/docs/inbox'])(
  'is not found: %s',
  async (path) => {
    expect((await fetch(url + path)).status).toBe(404);
  },
);

it('answers no POST request', async () => {
  expect((await fetch(`${url}/docs`, { method: 'POST', body: 'x' })).status).toBe(404);
});

it('is installed without the package that reports each install', async () => {
  const lock = JSON.parse(await readFile(join(__dirname, '../../package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly name?: string }>>;
  };
  expect(lock.packages['node_modules/@scarf/scarf']?.name).toBe('jsonc-parser');
});
