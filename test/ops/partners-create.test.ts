// `payctl partners create` as operations run it (docs/operations.md): JSON, exit codes 0, 1 and 2, one sentence
// each.
import { startApp } from '../support/app';
import { countOf, openTestBed, type TestBed } from '../support/builders';
import { runPayctl, statusOfSigned } from './payctl';

let bed: TestBed;
beforeAll(async () => {
  bed = await openTestBed();
});
afterAll(() => bed.close());

const payctl = (args: readonly string[], environment: Record<string, string> = {}) =>
  runPayctl(bed, args, environment);

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
async function expectKeyWorks({ key_id = '', signing_secret = '' }: Record<string, string>) {
  const app = await startApp(bed);
  const status = await statusOfSigned(app, bed, { key_id, signing_secret });
  await app.close();
  expect(status).toBe(404);
}

/** No row holds either secret as it was printed, and both open for their owner. */
async function expectSealed(printed: Record<string, string>): Promise<void> {
  const { rows } = await bed.database.query<{ readonly owner: string; readonly sealed: Buffer }>({
    text: `select key_id as owner, secret_sealed as sealed from signing_keys where key_id = $1
           union all
           select 'webhook:' || partner_id, secret_sealed from webhook_endpoints where partner_id = $2`,
    values: [printed['key_id'], printed['partner_id']],
  });
  const secrets = [printed['signing_secret'], printed['webhook_secret']];
  expect(rows.map(({ owner, sealed }) => bed.seal.open(sealed, owner))).toEqual(secrets);
  expect(rows.map(({ sealed }, row) => sealed.includes(secrets[row] ?? ''))).toEqual([
    false,
    false,
  ]);
}

const networksOf = async (partnerId: string) => {
  const { rows } = await bed.database.query<{ readonly network: string }>({
    text: `select network::text from partner_addresses where partner_id = $1 order by network`,
    values: [partnerId],
  });
  return rows.map(({ network }) => network);
};

describe('partners create', () => {
  it('prints a table to people', async () => {
    const ran = await create('tabular');
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/^partner_id +tabular\nkey_id +tabular_sandbox_/);
    expect(ran.stdout).toMatch(/^webhook_secret +-$/m);
    expect(ran.stdout).toContain('shown this once');
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
    'http://127.1:9/first/.well-known/jwks.json',
    'HTTP://127.0.0.1:9/%66irst/.well-known/jwks.json',
    'http://127.0.0.1:9/x/../first',
    'http://0x7f000001:9/first/',
  ])(
    'refuses a key set that another partner has registered in another spelling: %s',
    async (url) => {
      await create('first');
      const before = await partnersIn();
      const ran = await create('second', '--jwks-url', url);
      expect([ran.code, ran.stdout]).toEqual([1, '']);
      expect(ran.stderr).toMatch(
        /^payctl: Another partner has registered .* already, spelled http.*\n$/,
      );
      expect(await partnersIn()).toBe(before);
    },
  );

  it('registers an IPv4-mapped network as the IPv4 network that it means', async () => {
    await create(
      'mapped',
      ...['--allow', '::ffff:203.0.113.7', '--allow', '::ffff:c633:6400/120', '--allow', '::/127'],
    );
    expect(await networksOf('mapped')).toEqual([
      '127.0.0.1/32',
      '198.51.100.0/24',
      '203.0.113.7/32',
      '::/127',
    ]);
  });

  it.each([
    ['fe80::1%eth0', 'names a network interface (from "%" on), which no other machine knows'],
    ['::ffff:0.0.0.0/90', 'holds every IPv4 address and more'],
    ['10.0.0.0/8/8', 'is not an address or CIDR block'],
    ['10.0.0.0/', 'is not an address or CIDR block'],
  ])('takes --allow %s for wrong usage and says why', async (network, why) => {
    const ran = await create('refused', '--allow', network);
    expect([ran.code, ran.stdout]).toEqual([2, '']);
    expect(ran.stderr).toContain(`payctl: --allow ${network} ${why}`);
  });

  it('keeps how old attestations may be, and any age where it is not said', async () => {
    await create('aged', '--kyc-max-age', '86400', '--sanctions-max-age', '3600');
    await create('ageless', '--kyc-max-age', 'none');
    const { rows } = await bed.database.query({
      text: `select kyc_max_age_seconds, sanctions_max_age_seconds from partners
              where partner_id in ('aged', 'ageless') order by partner_id`,
    });
    expect(rows).toEqual([
      { kyc_max_age_seconds: 86_400, sanctions_max_age_seconds: 3_600 },
      { kyc_max_age_seconds: null, sanctions_max_age_seconds: null },
    ]);
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
    ['a mapped address beside the address it means', ['--allow', '::ffff:127.0.0.1']],
    ['an address with a space in it', ['--webhook-url', 'https://acme.example/ hook']],
    ['a scheme that is a browser’s', ['--return-scheme', 'javascript']],
    ['an age of nothing', ['--kyc-max-age', '0']],
    ['an age that is no number', ['--sanctions-max-age', '1h']],
    ['an age beyond what can be kept', ['--sanctions-max-age', '2147483648']],
  ])('takes %s for wrong usage: 2 and one sentence of its own', async (_name, options) => {
    const before = await partnersIn();
    const ran = await create('refused', ...options);
    expect([ran.code, ran.stdout]).toEqual([2, '']);
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
    expect(ran.stderr).toMatch(/^payctl: Postgres cannot be reached[^\n]+\n$/);
  });
});
