// The settings of API and worker in the form that the code uses, and the differences between prod
// and sandbox.
import { readApiConfig, readSandboxConfig, readWorkerConfig } from '../../src/config/config';
import { byCorridor } from '../../src/corridors/names';
import { usdCents } from '../../src/domain/money';
import { settingsOf } from '../../src/main/api-parts';
import { fundsFor, paymentSettingsOf, restoreWatchMaxAgeOf } from '../../src/main/worker/settings';
import { createDatabase } from '../../src/postgres/database';
import { createFundsAccount } from '../../src/postgres/ledger/holding-account';

const GIVEN = {
  DATABASE_URL: 'postgres://127.0.0.1/payments',
  KEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  INSTALLATION_KEY: Buffer.alloc(32, 9).toString('base64'),
  PROVIDER_URL_TH_QRPAY: 'https://thai.example',
  PROVIDER_URL_VN_QRPAY: 'https://vietnamese.example',
  PROVIDER_TOKEN_TH_QRPAY: 'a credential of the provider',
  PROVIDER_TOKEN_VN_QRPAY: 'a credential of the provider',
};
const SANDBOX = { ...GIVEN, SERVICE_ENV: 'sandbox' };
const PROD = { ...GIVEN, SERVICE_ENV: 'prod', TRUSTED_PROXY_HOPS: '1' };

const OF_SANDBOX = {
  PROVIDER_TOKEN: 'a credential of the provider',
  SANDBOX_DIR: '/data',
  SANDBOX_PARTNERS_FILE: '/data/partners.json',
};

/** The default of the sandbox: card numbers are no payees. */
const ANY_AMOUNT = {
  payeeKinds: [
    ...['mobile', 'national_id', 'ewallet', 'bank_account', 'biller', 'account', 'merchant'],
  ],
  isCodeAmountAllowed: true,
};

const CAN_QUOTE = byCorridor(() => ({
  inquire: () => Promise.resolve({ outcome: 'refused', code: 'other' } as const),
}));

const apiSettings = (given: Readonly<Record<string, string>>) =>
  settingsOf(readApiConfig(given), CAN_QUOTE);

/** An amount of src/sandbox/scenarios.ts. */
const SHORT_OF_FUNDS = usdCents(40_006);

describe('the API', () => {
  it('has the defaults of the architecture in the sandbox', () => {
    expect(apiSettings(SANDBOX)).toEqual({
      errorEnvelope: 'flat',
      intentTtlSeconds: 1_800,
      confirmWaitMs: 8_000,
      requestsMax: 2_048,
      trustedProxyHops: 0,
      isServedOverTls: false,
      minimumUsdCents: { th_qrpay: 1, vn_qrpay: 1 },
      maximumUsdCents: { th_qrpay: 100_000_000, vn_qrpay: 100_000_000 },
      codeRules: { th_qrpay: ANY_AMOUNT, vn_qrpay: ANY_AMOUNT },
      needsLocal: { th_qrpay: false, vn_qrpay: false },
      isQrPayloadRequired: { th_qrpay: false, vn_qrpay: false },
      isQuoteRequired: { th_qrpay: false, vn_qrpay: false },
    });
  });

  it('uses each setting that is given', () => {
    const given = {
      ...SANDBOX,
      ERROR_ENVELOPE: 'nested',
      INTENT_TTL_SECONDS: '77',
      CONFIRM_WAIT_MS: '1234',
      TRUSTED_PROXY_HOPS: '2',
      AMOUNT_MIN_TH_QRPAY_USD_CENTS: '50',
      AMOUNT_MIN_VN_QRPAY_USD_CENTS: '60',
      QR_PAYLOAD_REQUIRED_VN_QRPAY: 'true',
      QUOTE_REQUIRED_VN_QRPAY: 'true',
      REQUESTS_MAX: '99',
      AMOUNT_MAX_VN_QRPAY_USD_CENTS: '70',
      PAYEE_KINDS_TH_QRPAY: 'biller, mobile',
      QR_AMOUNT_ALLOWED_VN_QRPAY: 'false',
      PROVIDER_ADAPTER_TH_QRPAY: 'musepay',
    };
    expect(apiSettings(given)).toEqual({
      errorEnvelope: 'nested',
      intentTtlSeconds: 77,
      confirmWaitMs: 1_234,
      requestsMax: 99,
      trustedProxyHops: 2,
      isServedOverTls: false,
      minimumUsdCents: { th_qrpay: 50, vn_qrpay: 60 },
      maximumUsdCents: { th_qrpay: 100_000_000, vn_qrpay: 70 },
      codeRules: {
        th_qrpay: { payeeKinds: ['mobile', 'biller'], isCodeAmountAllowed: true },
        vn_qrpay: { ...ANY_AMOUNT, isCodeAmountAllowed: false },
      },
      needsLocal: { th_qrpay: true, vn_qrpay: false },
      isQrPayloadRequired: { th_qrpay: false, vn_qrpay: true },
      isQuoteRequired: { th_qrpay: false, vn_qrpay: true },
    });
  });

  it('in prod requires the scanned code and is served over TLS', () => {
    const { isQrPayloadRequired, isServedOverTls, codeRules } = apiSettings(PROD);
    expect(isQrPayloadRequired).toEqual({ th_qrpay: true, vn_qrpay: true });
    expect(isServedOverTls).toBe(true);
    expect(codeRules.th_qrpay).toEqual({ ...ANY_AMOUNT, isCodeAmountAllowed: false });
  });

  it('in prod requires a quote where the adapter can give one, unless a setting says no', () => {
    const given = { ...PROD, QUOTE_REQUIRED_VN_QRPAY: 'false' };
    expect(apiSettings(PROD).isQuoteRequired).toEqual({ th_qrpay: true, vn_qrpay: true });
    expect(apiSettings(given).isQuoteRequired).toEqual({ th_qrpay: true, vn_qrpay: false });
    const onlyThai = settingsOf(readApiConfig(PROD), { ...CAN_QUOTE, vn_qrpay: {} });
    expect(onlyThai.isQuoteRequired).toEqual({ th_qrpay: true, vn_qrpay: false });
  });

  it('calls no provider over plain HTTP in prod', () => {
    const given = { ...PROD, PROVIDER_URL_VN_QRPAY: 'http://vietnamese.example' };
    expect(() => readApiConfig(given)).toThrow(/In prod providers are called over https only/);
  });

  it('refuses a kind of payee that it does not know', () => {
    const given = { ...SANDBOX, PAYEE_KINDS_VN_QRPAY: 'account,purse' };
    expect(() => readApiConfig(given)).toThrow(
      /PAYEE_KINDS_VN_QRPAY.*account,purse.*some of mobile, national_id/,
    );
  });
});

describe('without TLS, at an address that others can reach', () => {
  const PUBLIC = ['0.0.0.0', '::', '192.168.1.7', '127.0.0.1.example'];
  const SERVERS = [
    ['the API of a sandbox', (given: object) => readApiConfig({ ...SANDBOX, ...given })],
    ['the sandbox', (given: object) => readSandboxConfig({ ...OF_SANDBOX, ...given })],
  ] as const;

  it.each(SERVERS)('%s does not start, and says why', (_name, read) => {
    for (const HOST of PUBLIC) {
      expect(() => read({ HOST })).toThrow(
        new RegExp(`HOST is ${HOST}, .*set PLAIN_HTTP_ALLOWED=true`),
      );
    }
  });

  it.each(SERVERS)('%s starts with PLAIN_HTTP_ALLOWED=true, or on loopback', (_name, read) => {
    for (const HOST of PUBLIC) expect(read({ HOST, PLAIN_HTTP_ALLOWED: 'true' })).toBeDefined();
    for (const HOST of ['localhost', '127.0.0.9', '::1']) expect(read({ HOST })).toBeDefined();
  });

  it('the API of a sandbox starts behind a proxy that ends TLS', () => {
    expect(readApiConfig({ ...SANDBOX, HOST: '0.0.0.0', TRUSTED_PROXY_HOPS: '1' })).toBeDefined();
  });

  const WITH_CALLBACKS = { CALLBACK_PORT: '9466', PLAIN_HTTP_ALLOWED: 'true' };

  it('a worker of prod that takes callbacks does not start, whatever PLAIN_HTTP_ALLOWED says', () => {
    const worker = (given: object) => () =>
      readWorkerConfig({ ...PROD, TRUSTED_PROXY_HOPS: '0', ...given });
    expect(worker(WITH_CALLBACKS)).toThrow('In prod the API serves TLS only, and so do callbacks');
    expect(worker({ ...WITH_CALLBACKS, TLS_CERT_FILE: '/c' })).toThrow('set both or neither');
    const files = { TLS_CERT_FILE: '/c', TLS_KEY_FILE: '/k' };
    for (const tls of [files, { TRUSTED_PROXY_HOPS: '1' }])
      expect(worker({ ...WITH_CALLBACKS, ...tls })()).toMatchObject({ CALLBACK_PORT: 9_466 });
  });

  it('a worker of a sandbox that takes callbacks does not start, and says why', () => {
    const given = { ...SANDBOX, CALLBACK_PORT: '0', HOST: '0.0.0.0' };
    expect(() => readWorkerConfig(given)).toThrow(/HOST is 0.0.0.0, .*set PLAIN_HTTP_ALLOWED=true/);
    expect(readWorkerConfig({ ...given, ...WITH_CALLBACKS })).toBeDefined();
  });

  it('a worker takes no callbacks unless it has a port for them, and then needs no TLS', () => {
    const { CALLBACK_PORT } = readWorkerConfig({
      ...PROD,
      TRUSTED_PROXY_HOPS: '0',
      HOST: '0.0.0.0',
    });
    expect(CALLBACK_PORT).toBeUndefined();
  });

  it('the API of prod does not start, whatever PLAIN_HTTP_ALLOWED says', () => {
    const given = { ...PROD, HOST: '0.0.0.0', TRUSTED_PROXY_HOPS: '0', PLAIN_HTTP_ALLOWED: 'true' };
    expect(() => readApiConfig(given)).toThrow('In prod the API serves TLS only');
  });
});

describe('the worker', () => {
  it('in the sandbox allows an operator’s confirm without a code', () => {
    expect(paymentSettingsOf(readWorkerConfig(SANDBOX))).toMatchObject({
      isOperatorConfirmAllowed: true,
      isQrPayloadRequired: { th_qrpay: false, vn_qrpay: false },
      payoutUnknownSeconds: 900,
    });
  });

  it('in prod allows no operator’s confirm, and requires a code', () => {
    expect(paymentSettingsOf(readWorkerConfig(PROD))).toMatchObject({
      isOperatorConfirmAllowed: false,
      isQrPayloadRequired: { th_qrpay: true, vn_qrpay: true },
      payoutUnknownSeconds: 900,
    });
  });

  it.each([
    ['sandbox', 'false'],
    ['prod', 'true'],
  ])('in %s follows a setting that is given', (SERVICE_ENV, OPERATOR_CONFIRM) => {
    const given = { ...PROD, SERVICE_ENV, OPERATOR_CONFIRM, QR_PAYLOAD_REQUIRED_TH_QRPAY: 'false' };
    const settings = paymentSettingsOf(readWorkerConfig(given));
    expect(settings.isOperatorConfirmAllowed).toBe(OPERATOR_CONFIRM === 'true');
    expect(settings.isQrPayloadRequired.th_qrpay).toBe(false);
  });

  it('is stopped by the age of the last comparison in prod alone', () => {
    const given = { RESTORE_WATCH_MAX_AGE_SECONDS: '77' };
    expect([
      restoreWatchMaxAgeOf(readWorkerConfig(PROD)),
      restoreWatchMaxAgeOf(readWorkerConfig({ ...PROD, ...given })),
      restoreWatchMaxAgeOf(readWorkerConfig({ ...SANDBOX, ...given })),
    ]).toEqual([900, 77, null]);
  });

  it.each(['PROVIDER_URL_TH_QRPAY', 'PROVIDER_URL_VN_QRPAY'])(
    'in prod starts only with a %s over https',
    (name) => {
      const given = { [name]: 'http://provider.example' };
      expect(() => readWorkerConfig({ ...PROD, ...given })).toThrow(
        'In prod providers are called over https only: set PROVIDER_URL_… and the addresses in',
      );
      expect(readWorkerConfig({ ...SANDBOX, ...given })).toMatchObject(given);
    },
  );

  it('is short of funds for the magic amount in the sandbox only', () => {
    // Connects at its first statement, and there is none.
    const options = { url: GIVEN.DATABASE_URL, poolSize: 1, onLostConnection: () => undefined };
    const ledger = createFundsAccount(createDatabase(options));
    const joins = (SERVICE_ENV: 'sandbox' | 'prod') =>
      fundsFor({ SERVICE_ENV }, ledger).joinsAuthorize(SHORT_OF_FUNDS);
    expect([joins('sandbox'), joins('prod')]).toEqual([false, true]);
  });
});
