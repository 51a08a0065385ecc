// `payctl partners create` as operations run it (architecture, section 7): JSON, exit codes 0, 1 and 2, one sentence
// each.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { countOf, KEY_ENCRYPTION_KEY, openTestBed, type TestBed } from '../support/builders';
import { startApp } from '../support/app';
import { aPartner } from '../support/partner';

const ROOT = join(__dirname, '../..');
const TSX = join(ROOT, 'node_modules/tsx/dist/cli.mjs');

let bed: TestBed;
beforeAll(async () => {
  bed = await openTestBed();
});
afterAll(() => bed.close());

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function payctl(args: readonly string[], environment: Record<string, string> = {}): Promise<Ran> {
  const env = {
    PATH: '/usr/bin:/bin',
    DATABASE_URL: bed.url,
    KEY_ENCRYPTION_KEY: KEY_ENCRYPTION_KEY.toString('base64'),
    ...environment,
  };
  return new Promise((resolve) => {
    const run = [TSX, join(ROOT, 'src/ops/payctl.ts'), ...args];
    const child = execFile(process.execPath, run, { env, cwd: ROOT }, (_, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, stdout, stderr });
    });
  });
}

const create = (name: string, ...more: readonly string[]) =>
  payctl([
    ...['partners', 'create', '--name', name],
    ...['--jwks-url', `http://127.0.0.1:9/${name}/.well-known/jwks.json`],
    ...['--allow', '127.0.0.1/32', ...more],
  ]);

const partnersIn = () => countOf(bed, 'select count(*) from partners');

describe('partners create --json', () => {
  it('prints the partner with its two secrets, and it is in force when it returns', async () => {
    const ran = await create(
      'acme',
      ...['--allow', '::1/128', '--webhook-url', 'http://127.0.0.1:9/hook'],
      ...['--return-scheme', 'acme-pay', '--json'],
    );
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    const partner = JSON.parse(ran.stdout) as Record<string, string>;
    expect(partner).toEqual({
      partner_id: 'acme',
      key_id: expect.stringMatching(/^acme_sandbox_\d{4}q[1-4]$/) as string,
      signing_secret: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/) as string,
      issuer: 'http://127.0.0.1:9/acme',
      jwks_url: 'http://127.0.0.1:9/acme/.well-known/jwks.json',
      webhook_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) as string,
    });
    await expectKeyWorks(partner);
    await expectSealed(partner);
  });

  it('prints null for the webhook secret without --webhook-url', async () => {
    const ran = await create('quiet', '--json');
    expect(JSON.parse(ran.stdout)).toMatchObject({ webhook_secret: null });
  });
});

/** A signed request with the printed credentials passes authentication. */
async function expectKeyWorks(printed: Record<string, string>): Promise<void> {
  const app = await startApp(bed);
  const { key_id = '', signing_secret = '' } = printed;
  const someone = await aPartner(bed);
  const reply = await app.sendSigned(
    { ...someone, key_id, signing_secret },
    { path: '/v1/payment_intents/pi_00000000000000000000000000' },
  );
  await app.close();
  expect(reply.status).toBe(404);
}

/** No row holds either secret as it was printed. */
async function expectSealed(printed: Record<string, string>): Promise<void> {
  const clear = await countOf(
    bed,
    `select (select count(*) from signing_keys where position($1::bytea in secret_sealed) > 0)
          + (select count(*) from webhook_endpoints where position($2::bytea in secret_sealed) > 0) as count`,
    [printed['signing_secret'], printed['webhook_secret']].map((text) => Buffer.from(text ?? '-')),
  );
  expect(clear).toBe(0);
  await expect(bed.partners.findSigningKey(printed['key_id'] ?? '')).resolves.toMatchObject({
    secret: printed['signing_secret'],
    allowedNetworks: ['127.0.0.1/32', '::1/128'],
  });
}

describe('partners create', () => {
  it('prints a table to people', async () => {
    const ran = await create('tabular');
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/^partner_id +tabular\nkey_id +tabular_sandbox_/);
    expect(ran.stdout).toMatch(/^webhook_secret +-$/m);
  });

  it('refuses a name that is taken with one sentence and 1, and changes nothing', async () => {
    await create('twice');
    const before = await partnersIn();
    const ran = await create('twice', '--json');
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([
      1,
      '',
      'payctl: Partner twice exists already. Choose another --name.\n',
    ]);
    expect(await partnersIn()).toBe(before);
  });

  it('refuses a key set that another partner has registered', async () => {
    await create('first');
    const taken = ['--jwks-url', 'http://127.0.0.1:9/first/.well-known/jwks.json'];
    const ran = await create('second', ...taken);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/^payctl: Another partner has registered .*\n$/);
  });

  it.each([
    ['a name that is no slug', ['--name', 'Not A Slug']],
    ['a key set that is no URL', ['--jwks-url', 'nowhere']],
    ['a key set over ftp', ['--jwks-url', 'ftp://acme.example/jwks.json']],
    ['a key set over http in prod', ['--env', 'prod']],
    ['credentials in an address', ['--webhook-url', 'https://a:b@acme.example/']],
    ['an address that is none', ['--allow', '300.1.1.1']],
    ['a prefix beyond the address', ['--allow', '10.0.0.0/33']],
    ['a block with host bits beyond its prefix', ['--allow', '10.0.0.1/8']],
    ['one address twice', ['--allow', '127.0.0.1/32']],
    ['a scheme that is a browser’s', ['--return-scheme', 'javascript']],
  ])('refuses %s with 1 and one sentence of its own', async (_name, options) => {
    const before = await partnersIn();
    const ran = await create('refused', ...options);
    expect([ran.code, ran.stdout]).toEqual([1, '']);
    expect(ran.stderr).toMatch(/^payctl: (?!it failed)[^\n]+\.\n$/);
    expect(await partnersIn()).toBe(before);
  });

  it.each([
    ['no command', []],
    ['a command that is not there', ['partners', 'destroy']],
    ['an option that is missing', ['partners', 'create', '--name', 'x']],
    ['an option that is not there', ['partners', 'create', '--colour', 'red']],
    ['an environment that is not there', ['partners', 'create', '--env', 'staging']],
  ])('takes %s for wrong usage: 2', async (_name, args) => {
    const ran = await payctl(args);
    expect([ran.code, ran.stdout]).toEqual([2, '']);
    expect(ran.stderr).not.toBe('');
  });

  it('says in one sentence that settings are wrong, and shows no secret', async () => {
    const ran = await payctl(
      ['partners', 'create', '--name', 'x', '--jwks-url', 'https://x.example', '--allow', '::1'],
      { KEY_ENCRYPTION_KEY: 'c2VjcmV0' },
    );
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(/^payctl: Settings missing or wrong\. KEY_ENCRYPTION_KEY/);
    expect(ran.stderr).not.toContain('c2VjcmV0');
  });

  it('says in one sentence that Postgres cannot be reached', async () => {
    const ran = await payctl(
      ['partners', 'create', '--name', 'x', '--jwks-url', 'https://x.example', '--allow', '::1'],
      { DATABASE_URL: 'postgres://postgres@127.0.0.1:9/nowhere' },
    );
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/^payctl: [^\n]+\n$/);
  });
});
