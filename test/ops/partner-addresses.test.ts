// What a partner's addresses may be at registration (decisions 26 and 114): what no call would go to is refused with a
// sentence, and nothing is looked up.
import { checkSettings } from '../../src/ops/partner-options';
import { countOf, openTestBed, type TestBed } from '../support/builders';
import { runPayctl } from './payctl';

let bed: TestBed;
beforeAll(async () => {
  bed = await openTestBed();
});
afterAll(() => bed.close());

const create = (environment: Record<string, string>, name: string, ...options: readonly string[]) =>
  runPayctl(
    bed,
    ['partners', 'create', '--name', name, '--allow', '127.0.0.1', ...options],
    environment,
  );
const endpointsOf = (partnerId: string) =>
  countOf(bed, `select count(*) from webhook_endpoints where partner_id = $1`, [partnerId]);

describe('partners create', () => {
  it('refuses an address that is not public in prod with one sentence and 2', async () => {
    const ran = await create(
      {},
      'inward',
      ...['--env', 'prod', '--jwks-url', 'https://inward.example/.well-known/jwks.json'],
      ...['--webhook-url', 'https://169.254.169.254/latest'],
    );
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([
      2,
      '',
      'payctl: --webhook-url https://169.254.169.254/latest cannot be used in prod: the address 169.254.169.254 is not public (cloud metadata, AWS, Azure, Google Cloud and others).\n',
    ]);
    expect(await endpointsOf('inward')).toBe(0);
  });

  it('takes http to a name in the sandbox where PARTNER_NETWORKS says where partners are', async () => {
    const options = [
      ...['--jwks-url', 'http://sandbox:8091/demo/.well-known/jwks.json'],
      ...['--webhook-url', 'http://172.18.0.5:8091/demo/webhooks'],
    ];
    const without = await create({}, 'contained', ...options);
    expect([without.code, without.stderr]).toEqual([
      2,
      'payctl: --jwks-url http://sandbox:8091/demo/.well-known/jwks.json cannot be used in sandbox: http is for loopback addresses, localhost and the networks that PARTNER_NETWORKS names.\n',
    ]);
    const ran = await create({ PARTNER_NETWORKS: '172.16.0.0/12' }, 'contained', ...options);
    expect([ran.code, ran.stderr, await endpointsOf('contained')]).toEqual([0, '', 1]);
  });

  it('takes nothing of PARTNER_NETWORKS for a partner of prod', async () => {
    const options = ['--env', 'prod', '--jwks-url', 'https://172.18.0.5/.well-known/jwks.json'];
    const ran = await create({ PARTNER_NETWORKS: '172.16.0.0/12' }, 'outward', ...options);
    expect([ran.code, ran.stderr]).toEqual([
      2,
      expect.stringContaining('the address 172.18.0.5 is not public (private, RFC 1918)'),
    ]);
  });
});

it('partners set refuses likewise, and leaves what is there', async () => {
  await create({}, 'steady', '--jwks-url', 'https://steady.example/.well-known/jwks.json');
  const set = ['partners', 'set', 'steady', '--webhook-url', 'http://10.0.0.1/hook'];
  const ran = await runPayctl(bed, set);
  expect([ran.code, ran.stderr]).toEqual([
    2,
    'payctl: --webhook-url http://10.0.0.1/hook cannot be used in sandbox: the address 10.0.0.1 is not public (private, RFC 1918).\n',
  ]);
  expect(await endpointsOf('steady')).toBe(0);
});

describe('an address', () => {
  it.each([
    ['prod', 'https://acme.example:8443/hook'],
    ['prod', 'https://1.1.1.1/hook'],
    ['sandbox', 'https://acme.example/hook'],
    ['sandbox', 'http://127.0.0.1:9/hook'],
    ['sandbox', 'http://[::1]:9/hook'],
    ['sandbox', 'http://acme.localhost:9/hook'],
    // A name may be anything by the time of the call, which judges it then.
    ['prod', 'https://internal/hook'],
  ] as const)('may in %s be %s, kept as it was given', (environment, webhookUrl) => {
    expect(checkSettings({ webhookUrl }, { environment })).toMatchObject({ webhookUrl });
  });

  it.each([
    ['prod', 'http://acme.example/', 'the address is not https'],
    ['prod', 'https://2130706433/', 'the address 127.0.0.1 is not public (loopback, RFC 1122)'],
    ['prod', 'https://localhost/', 'the address 127.0.0.1 is not public (loopback, RFC 1122)'],
    ['prod', 'https://[::ffff:10.0.0.1]/', 'is not public (IPv4-mapped, RFC 4291)'],
    ['sandbox', 'ftp://acme.example/', 'the address is neither https nor http'],
    ['sandbox', 'https://192.168.1.1/', 'is not public (private, RFC 1918)'],
    ['sandbox', 'http://1.1.1.1/', 'the address 1.1.1.1 is called by https only'],
    ['sandbox', 'http://acme.example/', 'http is for loopback addresses, localhost and'],
  ] as const)('may not in %s be %s: %s', (environment, jwksUrl, why) => {
    const check = () => checkSettings({ jwksUrl }, { environment });
    expect(check).toThrow(`--jwks-url ${jwksUrl} cannot be used in ${environment}: `);
    expect(check).toThrow(why);
  });
});
