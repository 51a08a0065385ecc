// PARTNER_NETWORKS, which opens private networks to a sandbox (decision 114): what it may hold, and never in prod.
import { readApiConfig, readOpsConfig, readWorkerConfig } from '../../src/config';

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
  it('takes CIDR blocks, separated by commas, in the sandbox', () => {
    const config = read({ ...SETTINGS, SERVICE_ENV: 'sandbox', PARTNER_NETWORKS: BLOCKS });
    expect(config.PARTNER_NETWORKS).toEqual(['172.16.0.0/12', 'fd12:3456::/32', '10.1.2.3/32']);
  });

  it('refuses to start with them in prod', () => {
    const start = () => read({ ...SETTINGS, SERVICE_ENV: 'prod', PARTNER_NETWORKS: BLOCKS });
    expect(start).toThrow(/^PARTNER_NETWORKS is for a sandbox: .* Unset it\.$/);
  });

  it.each(['sandbox', 'prod'])('needs none in %s', (environment) => {
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
  ])('as every process refuses %j with a sentence', (blocks) => {
    const start = () => readOpsConfig({ ...SETTINGS, PARTNER_NETWORKS: blocks });
    expect(start).toThrow(
      `PARTNER_NETWORKS is ${JSON.stringify(blocks)}, and should be CIDR blocks such as 172.16.0.0/12, separated by commas.`,
    );
  });
});
