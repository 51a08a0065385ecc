// Decisions 26 and 114: which partner addresses may be called, in all notations.
import fc from 'fast-check';
import { createPartnerAddresses } from '../../src/http/partner-addresses';
import { readApiConfig, readOpsConfig, readWorkerConfig } from '../../src/config/config';

const PROD = createPartnerAddresses({ environment: 'prod' });
const SANDBOX = createPartnerAddresses({ environment: 'sandbox' });
const NETWORKS = ['172.16.0.0/12', 'fd12:3456::/32', '198.51.100.0/24', '9.9.9.0/24'];
const NETWORKED = createPartnerAddresses({ environment: 'sandbox', networks: NETWORKS });

const ALLOWED = 'allowed';
const verdictOn = (addresses: typeof PROD, url: string) =>
  addresses.rejectionOfUrl(new URL(url)) ?? ALLOWED;

describe('in prod', () => {
  it.each([
    'https://acme.example/hook',
    'https://acme.example:8443/hook',
    'https://1.1.1.1/hook',
    'https://[2606:4700:4700::1111]:444/hook',
  ])('%s is allowed, on any port', (url) => {
    expect(verdictOn(PROD, url)).toBe(ALLOWED);
  });

  it.each([
    ['http://acme.example/', 'the address is not https'],
    ['http://127.0.0.1/', 'the address is not https'],
    ['ftp://1.1.1.1/', 'the address is not https'],
    ['https://10.0.0.1/', 'the address 10.0.0.1 is not public (private, RFC 1918)'],
    ['https://127.0.0.1/', 'the address 127.0.0.1 is not public (loopback, RFC 1122)'],
    ['https://[::1]/', 'the address ::1 is not public (loopback, RFC 4291)'],
    ['https://[fd00:ec2::254]/', 'the address fd00:ec2::254 is not public (cloud metadata, AWS)'],
    ['https://localhost/', 'the address 127.0.0.1 is not public (loopback, RFC 1122)'],
    ['https://acme.LOCALHOST.:8443/', 'the address 127.0.0.1 is not public (loopback, RFC 1122)'],
  ])('%s is denied: %s', (url, why) => {
    expect(verdictOn(PROD, url)).toBe(why);
  });

  it('PARTNER_NETWORKS is ignored', () => {
    const prod = createPartnerAddresses({ environment: 'prod', networks: ['0.0.0.0/0', '::/0'] });
    const urls = ['https://10.0.0.1/', 'https://[fd12:3456::1]/', 'http://1.1.1.1/'];
    expect(urls.map((url) => verdictOn(prod, url))).not.toContain(ALLOWED);
  });
});

describe('in the sandbox', () => {
  it.each([
    'http://127.0.0.1:8091/hook',
    'http://127.255.0.9/',
    'https://127.0.0.1/',
    'http://[::1]:8091/',
    'http://localhost:8091/',
    'https://1.1.1.1/',
    'https://acme.example/',
    // Its addresses are checked after the look-up.
    'http://acme.example/',
  ])('%s is allowed', (url) => {
    expect(verdictOn(SANDBOX, url)).toBe(ALLOWED);
  });

  it.each([
    ['http://1.1.1.1/', 'the address 1.1.1.1 is called by https only'],
    ['http://172.18.0.5/', 'the address 172.18.0.5 is not public (private, RFC 1918)'],
    ['https://172.18.0.5/', 'the address 172.18.0.5 is not public (private, RFC 1918)'],
    [
      'http://[::ffff:127.0.0.1]/',
      'the address ::ffff:7f00:1 is not public (IPv4-mapped, RFC 4291)',
    ],
    ['file:///etc/passwd', 'the address is neither https nor http'],
  ])('%s is denied: %s', (url, why) => {
    expect(verdictOn(SANDBOX, url)).toBe(why);
  });

  it.each([
    ['http://172.18.0.5:8091/', ALLOWED],
    ['https://172.31.255.255/', ALLOWED],
    ['http://[fd12:3456::5]/', ALLOWED],
    ['http://127.0.0.1/', ALLOWED],
    ['http://9.9.9.9/', ALLOWED],
    ['http://1.1.1.1/', 'the address 1.1.1.1 is called by https only'],
    ['http://10.0.0.1/', 'the address 10.0.0.1 is not public (private, RFC 1918)'],
    ['http://[fd13::5]/', 'the address fd13::5 is not public (unique local, RFC 4193)'],
    ['http://198.51.100.1/', 'the address 198.51.100.1 is not public (documentation, RFC 5737)'],
  ])('with PARTNER_NETWORKS, the verdict on %s is: %s', (url, expected) => {
    expect(verdictOn(NETWORKED, url)).toBe(expected);
  });

  it.each([
    '169.254.169.254',
    '100.100.100.200',
    '168.63.129.16',
    '[fd00:ec2::254]',
    '[fe80::1]',
    '0.0.0.0',
  ])('%s is denied, even if PARTNER_NETWORKS contains it', (host) => {
    const open = createPartnerAddresses({
      environment: 'sandbox',
      networks: ['0.0.0.0/0', '::/0'],
    });
    expect(verdictOn(open, `http://${host}/`)).toMatch(/ is not public \((?!private)/);
  });
});

const digits = (text: string, zero: number) =>
  text.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));

/** Ways to write an IPv4 address that a URL parser accepts, or that look like one. */
const NOTATIONS: Readonly<Record<string, (bytes: readonly number[], bits: number) => string>> = {
  'four bytes': (bytes) => bytes.join('.'),
  'four bytes and a dot': (bytes) => `${bytes.join('.')}.`,
  'one number': (_, bits) => String(bits),
  'one number and a dot': (_, bits) => `${String(bits)}.`,
  'a hexadecimal number': (_, bits) => `0x${bits.toString(16)}`,
  'an octal number': (_, bits) => `0${bits.toString(8)}`,
  'two parts, as 127.1': ([first], bits) => `${String(first)}.${String(bits & 0xff_ffff)}`,
  'three parts': ([first, second], bits) =>
    `${String(first)}.${String(second)}.${String(bits & 0xffff)}`,
  'hexadecimal bytes': (bytes) => bytes.map((byte) => `0X${byte.toString(16)}`).join('.'),
  'octal bytes': (bytes) => bytes.map((byte) => `00${byte.toString(8)}`).join('.'),
  'percent-encoded digits': (bytes) => bytes.join('.').replaceAll(/\d/g, (digit) => `%3${digit}`),
  'percent-encoded dots': (bytes) => bytes.join('%2E'),
  'full-width digits': (bytes) => digits(bytes.join('.'), 0xff10),
  'mathematical digits': (bytes) => digits(bytes.join('.'), 0x1d7d8),
  'ideographic dots': (bytes) => bytes.join('。'),
  'half-width dots': (bytes) => bytes.join('｡'),
  'a soft hyphen in it': (bytes) => bytes.join('.\u00ad'),
  'credentials before it': (bytes) => `acme.example@${bytes.join('.')}`,
  'a backslash behind it': (bytes) => `${bytes.join('.')}\\@acme.example`,
};

describe.each(Object.entries(NOTATIONS))('a private address written with %s', (_name, write) => {
  const bounds = [
    [0x0a00_0000, 0x0aff_ffff],
    [0x7f00_0000, 0x7fff_ffff],
    [0xa9fe_0000, 0xa9fe_ffff],
    [0xac10_0000, 0xac1f_ffff],
    [0xc0a8_0000, 0xc0a8_ffff],
    [0, 255],
  ].map(([min, max]) => fc.integer({ min: min ?? 0, max: max ?? 0 }));

  it('is denied in prod, as that address', () => {
    fc.assert(
      fc.property(fc.oneof(...bounds), (bits) => {
        const bytes = [bits >>> 24, (bits >>> 16) & 255, (bits >>> 8) & 255, bits & 255];
        const why = verdictOn(PROD, `https://${write(bytes, bits)}/hook`);
        expect(why).toContain(`the address ${bytes.join('.')} is not public`);
      }),
    );
  });
});

describe('an address that a URL cannot contain', () => {
  it.each([
    'https://[fe80::1%25eth0]/',
    'https://[fe80::1%eth0]/',
    'https://1.2.3.256/',
    'https://127.0.0.1.5/',
    'https://99999999999/',
    'https://[::1/',
  ])('makes %s an invalid URL', (text) => {
    expect(URL.canParse(text)).toBe(false);
  });
});

// PARTNER_NETWORKS allows private networks in a sandbox, and never in prod (decision 114).
const KEY_ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64');
const SETTINGS = {
  DATABASE_URL: 'postgres://127.0.0.1/payments',
  KEY_ENCRYPTION_KEY,
  INSTALLATION_KEY: KEY_ENCRYPTION_KEY,
  TRUSTED_PROXY_HOPS: '1',
  PROVIDER_URL_TH_QRPAY: 'https://provider.example',
  PROVIDER_URL_VN_QRPAY: 'https://provider.example',
  PROVIDER_TOKEN_TH_QRPAY: 'a credential of the provider',
  PROVIDER_TOKEN_VN_QRPAY: 'a credential of the provider',
};
const BLOCKS = '172.16.0.0/12, fd12:3456::/32,10.1.2.3/32';

describe.each([
  ['api', readApiConfig],
  ['worker', readWorkerConfig],
])('the %s', (_name, read) => {
  it('accepts CIDR blocks, separated by commas, in the sandbox', () => {
    const config = read({ ...SETTINGS, SERVICE_ENV: 'sandbox', PARTNER_NETWORKS: BLOCKS });
    expect(config.PARTNER_NETWORKS).toEqual(['172.16.0.0/12', 'fd12:3456::/32', '10.1.2.3/32']);
  });

  it('does not start with them in prod', () => {
    const start = () => read({ ...SETTINGS, SERVICE_ENV: 'prod', PARTNER_NETWORKS: BLOCKS });
    expect(start).toThrow(/^PARTNER_NETWORKS is for a sandbox: .* Unset it\.$/);
  });

  it.each(['sandbox', 'prod'])('may have none in %s', (environment) => {
    const config = read({ ...SETTINGS, SERVICE_ENV: environment, PARTNER_NETWORKS: '' });
    expect(config.PARTNER_NETWORKS).toBeUndefined();
  });
});

describe('payctl', () => {
  it.each([
    '10.0.0.1',
    '10.0.0.0/33',
    'fd00::/129',
    'sandbox',
    '10.0.0.0/8,',
    '10.0.0.0/8 fd00::/8',
  ])('rejects %j with a sentence, as every process does', (blocks) => {
    const start = () => readOpsConfig({ ...SETTINGS, PARTNER_NETWORKS: blocks });
    expect(start).toThrow(
      `PARTNER_NETWORKS is ${JSON.stringify(blocks)}, and should be CIDR blocks such as 172.16.0.0/12, separated by commas.`,
    );
  });
});
