// The page of `npm run sandbox:try` without a running sandbox, and its protection against other web
// sites, which can make a browser send requests to the loopback address.
import { once } from 'node:events';
import type { Server } from 'node:http';
import { request } from 'node:http';
import type { Sandbox } from '../../../src/dev/demo/sandbox-file';
import { markup } from '../../../src/dev/try/markup';
import { readOrder } from '../../../src/dev/try/order';
import { createTryServer } from '../../../src/dev/try/server';
import { freePorts } from '../../../src/dev/stack/ports';
import { sandboxTry } from '../../support/payments/sandbox-try';
import { withFolder } from '../setup/scripts';

let sandbox: Sandbox | undefined;
let server: Server;
let port: number;

beforeAll(async () => {
  server = createTryServer(() => sandbox);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});
afterAll(() => server.close());
beforeEach(() => {
  sandbox = undefined;
});

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Uses Node's own client, since fetch does not allow to set Host and Origin. */
async function send(
  line: string,
  headers: Record<string, string> = {},
  body = '',
): Promise<Answer> {
  const [method = '', path = ''] = line.split(' ');
  const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: false });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [
    AsyncIterable<Buffer> & { statusCode: number; headers: Record<string, unknown> },
  ];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  return { status: answer.statusCode, headers: answer.headers, text };
}

async function aDeadSandbox(): Promise<Sandbox> {
  const [unused = 0] = await freePorts(1);
  const address = `http://127.0.0.1:${unused}`;
  const partner = {
    ...{ partner_id: 'siam-travel', key_id: 'k', signing_secret: 's', issuer: address },
    ...{ jwks_url: address, session_kid: 'k', session_private_key_pem: '' },
    ...{ webhook_secret: 'whsec_AAAA', webhook_inbox_url: address },
  };
  return {
    ...{ base_url: address, checkout_url: address, temporal_address: '', temporal_ui_url: '' },
    ...{ database_url: '', provider_url: address, metrics_url: address, processes: [] },
    partners: [partner],
  };
}

describe('the page', () => {
  it('allows no script, no frame and no other origin, and is not cached', async () => {
    const { headers } = await send('GET /');
    expect(headers).toMatchObject({
      'content-security-policy':
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
    });
  });

  it('says that no sandbox is running, or that its API does not answer', async () => {
    const without = await send('GET /');
    expect([without.status, without.text]).toEqual([
      503,
      expect.stringContaining('No sandbox is running.'),
    ]);
    sandbox = await aDeadSandbox();
    const form = 'partner=siam-travel&corridor=th_qrpay&amount=40001';
    const dead = await send('POST /payments', {}, form);
    expect([dead.status, dead.text]).toEqual([
      503,
      expect.stringContaining('The API does not answer.'),
    ]);
  }, 30_000);

  it('serves its style sheet and the codes to scan', async () => {
    expect((await send('GET /style.css')).headers['content-type']).toBe('text/css');
    const picture = await send('GET /codes/vn_qrpay.png');
    expect([picture.headers['content-type'], picture.text.slice(1, 4)]).toEqual([
      'image/png',
      'PNG',
    ]);
  });

  it.each([
    'GET /codes/x.png',
    'GET /..%2fserver.ts',
    'PUT /',
    'GET //',
    'POST /payments/a/b/refund',
  ])('has nothing at %s', async (line) => {
    sandbox = await aDeadSandbox();
    expect((await send(line)).status).toBe(404);
  });

  it('rejects a body that is larger than a form can be', async () => {
    sandbox = await aDeadSandbox();
    expect((await send('POST /payments', {}, 'x'.repeat(3_000))).status).toBe(413);
  });
});

describe('another web site', () => {
  it.each(['evil.example', 'localhost', '127.0.0.1:1'])(
    'cannot reach the page by its own host name: %j',
    async (host) => {
      expect((await send('GET /', { host })).status).toBe(403);
    },
  );

  it.each(['https://evil.example', 'null', 'http://127.0.0.1'])(
    'cannot send a form here: %s',
    async (origin) => {
      sandbox = await aDeadSandbox();
      const form = 'partner=siam-travel&corridor=th_qrpay&amount=40001';
      expect((await send('POST /payments', { origin }, form)).status).toBe(403);
    },
  );

  it('is distinguished from the page itself', async () => {
    const own = `localhost:${port}`;
    expect((await send('GET /style.css', { host: own })).status).toBe(200);
    expect((await send('POST /payments', { host: own, origin: `http://${own}` })).status).toBe(503);
  });
});

describe('an order', () => {
  const order = (form: Record<string, string>) =>
    readOrder(new URLSearchParams({ partner: 'p', corridor: 'th_qrpay', ...form }));

  it.each([
    [{ amount: '40001' }, 40_001],
    [{ amount: 'typed', dollars: '12.5' }, 1_250],
    [{ amount: 'typed', dollars: ' 0.01 ' }, 1],
    [{ amount: 'typed', dollars: '1000000' }, 100_000_000],
    [{ amount: 'typed', dollars: '1.15' }, 115],
  ])('of %j has %i cents', (form, amountUsdCents) => {
    expect(order(form)).toMatchObject({ amountUsdCents });
  });

  it.each(['0', '1.005', '1e3', '-1', '1000000.01', 'ten', ''])('rejects %j dollars', (typed) => {
    expect(() => order({ amount: 'typed', dollars: typed })).toThrow(/^The amount is not one/);
  });

  it('rejects an invalid amount and an invalid corridor', () => {
    expect(() => order({ amount: 'NaN' })).toThrow(/^The amount/);
    expect(() => order({ amount: '1', corridor: 'xx' })).toThrow(/^The corridor/);
  });
});

describe('a part of a page', () => {
  it('is escaped unless it is markup', () => {
    const inner = markup`<b>${'<script>"\'&'}</b>`;
    expect(markup`<p title="${'"'}">${[inner, inner]}${1}</p>`.html).toBe(
      '<p title="&#34;"><b>&#60;script&#62;&#34;&#39;&#38;</b><b>&#60;script&#62;&#34;&#39;&#38;</b>1</p>',
    );
  });
});

describe('npm run sandbox:try without a sandbox', () => {
  it('says what to do, and exits with 1', async () => {
    const page = await withFolder((folder) => sandboxTry(folder));
    expect([page.process.exitCode, page.output()]).toEqual([
      1,
      'No sandbox is running here: run `npm start` in another terminal, wait until it is ready, and try again.\n',
    ]);
  }, 60_000);
});
