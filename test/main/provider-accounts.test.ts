// The settings of accounts at providers (decision 151): what a worker reads, and what it refuses.
import { readWorkerConfig } from '../../src/config/config';
import { costBounds, providerSettings } from '../../src/config/providers';
import { byCorridor } from '../../src/corridors/names';
import { createOutbound } from '../../src/http/outbound';
import { createProviders } from '../../src/main/worker/payout-providers';

const TOKEN = 'a credential of the provider';
const GIVEN = {
  SERVICE_ENV: 'prod',
  DATABASE_URL: 'postgres://127.0.0.1/payments',
  KEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  INSTALLATION_KEY: Buffer.alloc(32, 9).toString('base64'),
  PROVIDER_URL_TH_QRPAY: 'https://thai.example',
  PROVIDER_URL_VN_QRPAY: 'https://vietnamese.example',
  PROVIDER_TOKEN_TH_QRPAY: TOKEN,
  PROVIDER_TOKEN_VN_QRPAY: TOKEN,
};
const FORMER = { account: 'old', adapter: 'http', url: 'https://old.example', token: TOKEN };

const read = (more: Readonly<Record<string, string>> = {}) =>
  readWorkerConfig({ ...GIVEN, ...more });
const former = (...accounts: readonly object[]) => ({
  PROVIDER_FORMER_TOKENS_TH_QRPAY: JSON.stringify(accounts),
});

it('each corridor has a current account, and former ones that are only queried', () => {
  const { th_qrpay: thai, vn_qrpay: vietnamese } = providerSettings(read(former(FORMER)));
  const current = { account: 'main', adapter: 'http', token: TOKEN };
  expect(thai).toEqual({ current: { ...current, url: 'https://thai.example' }, former: [FORMER] });
  expect(vietnamese.former).toEqual([]);
});

it.each([
  ['the name of the current account', [{ ...FORMER, account: 'main' }]],
  ['one name twice', [FORMER, FORMER]],
])('former accounts with %s are refused: the wrong one would be asked', (_what, accounts) => {
  expect(() => read(former(...accounts))).toThrow(/^Two accounts of th_qrpay have the name /);
});

it('in prod no former account is called over plain HTTP', () => {
  const plain = { ...FORMER, url: 'http://old.example' };
  expect(() => read(former(plain))).toThrow('over https only');
  expect(() => read({ ...former(plain), SERVICE_ENV: 'sandbox' })).not.toThrow();
});

it.each([
  ['no list', '{}'],
  ['no JSON', 'main'],
  ['an adapter that does not exist', JSON.stringify([{ ...FORMER, adapter: 'carrier-pigeon' }])],
  ['a member too many', JSON.stringify([{ ...FORMER, note: 'secret note' }])],
  ['a short credential', JSON.stringify([{ ...FORMER, token: 'short' }])],
])('former accounts that are %s are refused, and no value is shown', (_what, text) => {
  const reading = () => read({ PROVIDER_FORMER_TOKENS_VN_QRPAY: text });
  expect(reading).toThrow(/PROVIDER_FORMER_TOKENS_VN_QRPAY.*JSON list/);
  expect(reading).not.toThrow(/secret note|carrier-pigeon|short"/);
});

it.each([
  [{}, 1_001, 1_001],
  [{ MAX_COST_TH_QRPAY_PERCENT: '2' }, 1_001, 1_021],
  [{ MAX_COST_TH_QRPAY_PERCENT: '2', MAX_COST_TH_QRPAY_FIXED_USD_CENTS: '30' }, 1_001, 1_051],
])('with %j a payout of %d cents may cost %d', (more, cents, most) => {
  expect(costBounds(read(more)).th_qrpay(cents).maxUsdCents).toBe(most);
});

it.each([
  [{}, 99, 98],
  [{}, 1_001, 991],
  [{ MIN_COST_TH_QRPAY_PERCENT_BELOW: '0' }, 1_001, 1_000],
])('with %j a code for a payment of %d cents must cost %d', (more, cents, least) => {
  expect(costBounds(read(more)).th_qrpay(cents).minUsdCents).toBe(least);
});

describe('the providers of a worker', () => {
  const outbound = createOutbound();
  afterAll(() => outbound.close());

  const opened = (more: Readonly<Record<string, string>> = {}) =>
    createProviders({
      config: read(more),
      outbounds: { partners: outbound, providers: byCorridor(() => outbound) },
      metrics: { breakerSet: () => undefined, providerAdded: () => undefined } as never,
      around: (_name, port) => port,
    });

  it('are named by adapter and account', () => {
    const { providers, formerProviders } = opened(former(FORMER));
    expect(providers.th_qrpay.account).toBe('http/main');
    expect(formerProviders.th_qrpay.map(({ account }) => account)).toEqual(['http/old']);
  });
});
