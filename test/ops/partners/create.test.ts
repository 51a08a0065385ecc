// `payctl partners create`: JSON, exit codes with one sentence each, and what a partner may be
// registered with (decisions 26, 114 and 128).
import { createPartner } from '../../../src/ops/partners/create';
import { checkSettings } from '../../../src/ops/partners/options';
import { BadOption } from '../../../src/ops/rejection';
import { recordEnvironment } from '../../../src/postgres/service-environment';
import { withApp, withDatabase } from '../../support/brackets';
import { countOf } from '../../support/builders';
import { NOON } from '../../support/clock';
import { ANN } from '../../support/payments/partner';
import {
  expectRejected,
  jsonOf,
  rejection,
  runPayctl,
  statusOfSigned,
} from '../../support/programs/payctl';

const bed = withDatabase();
const app = withApp(bed);

const payctl = (args: readonly string[], environment: Record<string, string> = {}) =>
  runPayctl(bed, args, environment);
const keySetOf = (name: string) => `http://127.0.0.1:9/${name}/.well-known/jwks.json`;
const create = (name: string, ...more: readonly string[]) =>
  payctl([
    ...['partners', 'create', '--name', name, '--jwks-url', keySetOf(name)],
    ...['--allow', '127.0.0.1/32', ...more],
  ]);

interface CreateOptions {
  readonly name: string;
  readonly env?: 'sandbox' | 'prod';
  readonly jwksUrl?: string;
  readonly allow?: readonly string[];
}

/** The same, without its command line. */
const createHere = (options: CreateOptions & Parameters<typeof checkSettings>[0]) =>
  createPartner(
    { database: bed.database, seal: bed.seal, now: NOON, operator: ANN },
    { jwksUrl: keySetOf(options.name), allow: ['127.0.0.1/32'], env: 'sandbox', ...options },
  );

const ANY_AGE = ['--kyc-max-age', 'none', '--sanctions-max-age', 'none'];
const AGES = { kycMaxAge: 'none', sanctionsMaxAge: 'none' };

const partnersIn = () => countOf(bed, 'select count(*) from partners');
const endpointsOf = (partnerId: string) =>
  countOf(bed, `select count(*) from webhook_endpoints where partner_id = $1`, [partnerId]);

describe('partners create', () => {
  it('prints the partner with its two secrets, and the key works when it returns', async () => {
    const partner = jsonOf(
      await create(
        'acme',
        ...['--allow', '::1/128', '--webhook-url', 'http://127.0.0.1:9/hook'],
        ...['--return-scheme', 'acme-pay', '--json'],
      ),
    ) as Record<string, string>;
    expect(partner).toEqual({
      partner_id: 'acme',
      key_id: expect.stringMatching(/^acme_sandbox_\d{4}q[1-4]$/) as string,
      signing_secret: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/) as string,
      issuer: 'http://127.0.0.1:9/acme',
      jwks_url: keySetOf('acme'),
      webhook_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) as string,
    });
    const { key_id = '', signing_secret = '' } = partner;
    expect(await statusOfSigned(app, bed, { key_id, signing_secret })).toBe(404);
    await expectSealed(partner);
  });

  it('prints a table to people, without a webhook secret if no URL is given', async () => {
    const ran = await create('tabular');
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/^partner_id +tabular\nkey_id +tabular_sandbox_/);
    expect(ran.stdout).toMatch(/^webhook_secret +-$/m);
    expect(ran.stdout).toContain('shown only once');
  });

  it.each([
    ['0.0.0.0/0', 8],
    ['128.0.0.0/1', 8],
    ['::/0', 16],
    ['2000::/3', 16],
    ['::ffff:0:0/96', 8],
  ])('warns that --allow %s is wider than /%i, in create and in set', async (network, widest) => {
    const name = `open-${network.replaceAll(/\W/g, '-')}`;
    const warning = `payctl: --allow ${network} is wider than /${String(widest)}: `;
    const created = await create(name, '--allow', network);
    expect(created.code).toBe(0);
    expect(created.stderr).toContain(warning);
    const changed = await payctl(['partners', 'set', name, '--allow', network, '--yes']);
    expect(changed.stderr).toContain(warning);
  });

  it('warns of the largest blocks of an organisation in prod only', async () => {
    const allow = ['11.0.0.0/8', '2600::/16'].flatMap((block) => ['--allow', block]);
    expect((await create('large', ...allow)).stderr).toBe('');
    const narrow = ['--allow', '198.51.0.0/16', '--allow', '2001:db8::/32'];
    const { stderr } = await create('larger', '--env', 'prod', ...ANY_AGE, ...allow, ...narrow);
    expect(stderr.match(/--allow \S+ is wider than \/\d+/g)).toEqual([
      '--allow 11.0.0.0/8 is wider than /16',
      '--allow 2600::/16 is wider than /32',
    ]);
  });

  it('registers an IPv4-mapped network as its IPv4 network', async () => {
    const allow = ['127.0.0.1/32', '::ffff:203.0.113.7', '::ffff:c633:6400/120', '::/127'];
    await createHere({ name: 'mapped', allow });
    const { rows } = await bed.database.query({
      text: `select network::text from partner_addresses
              where partner_id = 'mapped' order by network`,
    });
    expect(rows.map(({ network }) => network as unknown)).toEqual([
      ...['127.0.0.1/32', '198.51.100.0/24', '203.0.113.7/32', '::/127'],
    ]);
  });

  it('stores the maximum ages of attestations, and any age if none is given', async () => {
    await createHere({ name: 'aged', kycMaxAge: '86400', sanctionsMaxAge: '3600' });
    await createHere({ name: 'ageless', kycMaxAge: 'none' });
    const { rows } = await bed.database.query({
      text: `select kyc_max_age_seconds, sanctions_max_age_seconds from partners
              where partner_id in ('aged', 'ageless') order by partner_id`,
    });
    expect(rows).toEqual([
      { kyc_max_age_seconds: 86_400, sanctions_max_age_seconds: 3_600 },
      { kyc_max_age_seconds: null, sanctions_max_age_seconds: null },
    ]);
  });
});

/** No row holds either secret as it was printed, and both open for their owner. */
async function expectSealed(printed: Record<string, string>): Promise<void> {
  const { rows } = await bed.database.query<{ readonly owner: string; readonly sealed: Buffer }>({
    text: `select key_id as owner, secret_sealed as sealed from signing_keys where key_id = $1
           union all
           select 'webhook:' || partner_id, secret_sealed from webhook_endpoints
            where partner_id = $2`,
    values: [printed['key_id'], printed['partner_id']],
  });
  const secrets = [printed['signing_secret'], printed['webhook_secret']];
  expect(rows.map(({ owner, sealed }) => bed.seal.open(sealed, owner))).toEqual(secrets);
  const isPlain = rows.map(({ sealed }, row) => sealed.includes(secrets[row] ?? ''));
  expect(isPlain).toEqual([false, false]);
}

describe('partners create rejects and changes nothing:', () => {
  it('an existing name, with one sentence and exit code 1', async () => {
    await createHere({ name: 'twice' });
    const before = await partnersIn();
    expect(await create('twice', '--json')).toEqual(
      rejection('Partner twice exists already. Choose another --name.'),
    );
    expect(await partnersIn()).toBe(before);
  });

  it.each([
    [keySetOf('first'), /already\. One key set/],
    ['http://127.1:9/first/.well-known/jwks.json', /already, spelled http/],
    ['HTTP://127.0.0.1:9/%66irst/.well-known/jwks.json', /already, spelled http/],
    ['http://127.0.0.1:9/x/../first', /already, spelled http/],
    ['http://0x7f000001:9/first/', /already, spelled http/],
  ])('a key set that another partner has registered, in any spelling: %s', async (jwksUrl, why) => {
    await createHere({ name: 'first' }).catch(() => undefined);
    const before = await partnersIn();
    const second = createHere({ name: 'second', jwksUrl });
    await expect(second).rejects.toThrow('Another partner has registered');
    await expect(second).rejects.toThrow(why);
    expect(await partnersIn()).toBe(before);
  });

  it.each<[string, Partial<Parameters<typeof createHere>[0]>, string]>([
    ['a name that is not a slug', { name: 'Not A Slug' }, 'is not a slug'],
    ['a key set that is not a URL', { jwksUrl: 'nowhere' }, 'is not a URL'],
    ['a key set over ftp', { jwksUrl: 'ftp://acme.example/jwks.json' }, 'neither https nor http'],
    ['a key set over http in prod', { env: 'prod', ...AGES }, 'the address is not https'],
    ['no age of the KYC in prod', { env: 'prod', sanctionsMaxAge: '60' }, '--kyc-max-age and'],
    ['no age of the sanctions', { env: 'prod', kycMaxAge: 'none' }, '"none" for any age'],
    ['credentials in a URL', { webhookUrl: 'https://a:b@acme.example/' }, 'credentials'],
    ['a URL with a space in it', { webhookUrl: 'https://acme.example/ hook' }, 'not a URL'],
    ['http to a name', { jwksUrl: 'http://acme.example/' }, 'http is for loopback addresses'],
    ['a malformed address', { allow: ['300.1.1.1'] }, 'is not an address or CIDR block'],
    ['a prefix beyond the address', { allow: ['10.0.0.0/33'] }, 'is not an address or CIDR'],
    ['two prefixes', { allow: ['10.0.0.0/8/8'] }, 'is not an address or CIDR block'],
    ['a slash without a prefix', { allow: ['10.0.0.0/'] }, 'is not an address or CIDR block'],
    ['host bits beyond a prefix', { allow: ['10.0.0.1/8'] }, '10.0.0.1/8'],
    ['a network interface', { allow: ['fe80::1%eth0'] }, 'names a network interface (from "%" on)'],
    ['every IPv4 address', { allow: ['::ffff:0.0.0.0/90'] }, 'holds every IPv4 address and more'],
    ['one address twice', { allow: ['127.0.0.1/32', '127.0.0.1'] }, 'names one network twice'],
    ['a mapped address twice', { allow: ['127.0.0.1', '::ffff:127.0.0.1'] }, 'one network twice'],
    ['a scheme of browsers', { returnScheme: ['javascript'] }, 'javascript'],
    ['an age of 0', { kycMaxAge: '0' }, '--kyc-max-age'],
    ['an age that is not a number', { sanctionsMaxAge: '1h' }, '--sanctions-max-age'],
    ['an age that cannot be stored', { sanctionsMaxAge: '2147483648' }, '--sanctions-max-age'],
  ])('%s, as wrong usage', async (_what, options, why) => {
    const before = await partnersIn();
    const rejected = createHere({ name: 'rejected', ...options });
    await expect(rejected).rejects.toThrow(BadOption);
    await expect(rejected).rejects.toThrow(why);
    expect(await partnersIn()).toBe(before);
  });

  it('wrong settings, with one sentence that shows no secret', async () => {
    const ran = await payctl(['keys', 'issue', 'acme'], { KEY_ENCRYPTION_KEY: 'c2VjcmV0' });
    expectRejected(ran, 2, /^payctl: Settings missing or wrong\. KEY_ENCRYPTION_KEY/);
    expect(ran.stderr).not.toContain('c2VjcmV0');
  });

  it('a Postgres that cannot be reached, with one sentence and exit code 1', async () => {
    const ran = await payctl(['partners', 'list'], {
      DATABASE_URL: 'postgres://postgres@127.0.0.1:9/nowhere',
    });
    expectRejected(ran, 1, /^payctl: Postgres cannot be reached[^\n]+\n$/);
  });
});

describe('an address of a partner', () => {
  it('that is not public is rejected in prod with one sentence and exit code 2', async () => {
    const ran = await create(
      'inward',
      ...['--env', 'prod', '--jwks-url', 'https://inward.example/.well-known/jwks.json'],
      ...['--webhook-url', 'https://169.254.169.254/latest'],
      ...ANY_AGE,
    );
    expect(ran).toEqual(
      rejection(
        '--webhook-url https://169.254.169.254/latest cannot be used in prod: the address 169.254.169.254 is not public (cloud metadata, AWS, Azure, Google Cloud and others).',
        2,
      ),
    );
    expect(await endpointsOf('inward')).toBe(0);
  });

  it('may be http to a name in the sandbox within PARTNER_NETWORKS', async () => {
    const options = [
      ...['--jwks-url', 'http://sandbox:8091/demo/.well-known/jwks.json'],
      ...['--webhook-url', 'http://172.18.0.5:8091/demo/webhooks', '--allow', '127.0.0.1'],
    ];
    const command = ['partners', 'create', '--name', 'contained', ...options];
    const ran = await payctl(command, { PARTNER_NETWORKS: '172.16.0.0/12' });
    expect([ran.code, ran.stderr, await endpointsOf('contained')]).toEqual([0, '', 1]);
  });

  it('ignores PARTNER_NETWORKS in prod', () => {
    const rules = { environment: 'prod', networks: ['172.16.0.0/12'] } as const;
    const check = () => checkSettings({ jwksUrl: 'https://172.18.0.5/jwks.json' }, rules);
    expect(check).toThrow('the address 172.18.0.5 is not public (private, RFC 1918)');
  });

  it.each([
    // A name may resolve to anything later, so each call checks it then.
    ['prod', 'https://internal/hook'],
    ['sandbox', 'http://acme.localhost:9/hook'],
  ] as const)('may in %s be %s, stored as it was given', (environment, webhookUrl) => {
    expect(checkSettings({ webhookUrl }, { environment })).toMatchObject({
      webhook_endpoint: webhookUrl,
    });
  });
});

it('a partner of another environment than the database’s is rejected', async () => {
  await bed.database.query({ text: 'delete from service_environment' });
  await recordEnvironment(bed.database, 'prod');
  await bed.database.query({ text: 'update service_environment set four_eyes = false' });
  const before = await partnersIn();
  expect(await create('elsewhere')).toEqual(
    rejection(
      'This is the database of prod, and --env is sandbox. Give --env prod, or set DATABASE_URL to the database of sandbox. Nothing was changed.',
    ),
  );
  expect(await partnersIn()).toBe(before);
  const jwksUrl = 'https://outward.example/jwks.json';
  const made = await createHere({ name: 'outward', jwksUrl, env: 'prod', ...AGES });
  expect(made).toBeDefined();
});
