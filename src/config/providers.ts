// The settings of each corridor's payout provider (decision 151): the adapter, the account there,
// its address and credential, former accounts, and what a payout may cost.
import { z } from 'zod';
import { byCorridor } from '../corridors/names';
import { ADAPTERS, NEEDS_LOCAL, type AdapterName } from '../domain/payouts/adapters';
import { namedSettings, valuesOf, type Named } from './corridors';
import { address, ConfigError, matching, oneOf, port, whole } from './values';

const base =
  'an address that begins with https:// or http://, without user, query, fragment or final slash';
/** Paths are added to it: after a slash or a query they would be those of another resource. */
const providerAddress = address(base, 'https', 'http').refine(
  (url) => /^[^@?#]*[^@?#/]$/.test(url),
  base,
);
/** A header can carry it: no line break, which a file of secrets often ends with. */
const bearer = matching(
  /^[ -~]{16,}$/,
  'a credential of at least 16 printable ASCII characters, without a line break',
);

const accountName = () => matching(/^[a-z0-9][a-z0-9-]{0,39}$/, '1 to 40 of a-z, 0-9 and "-"');

const formerAccount = z.strictObject({
  account: accountName(),
  adapter: z.enum(ADAPTERS),
  url: providerAddress,
  token: bearer,
});

const FORMER_SHOULD =
  'a JSON list of {"account", "adapter", "url", "token"}, as these were set before';

const formerAccounts = z.string(FORMER_SHOULD).transform((text, context) => {
  try {
    return z.array(formerAccount).parse(JSON.parse(text));
  } catch {
    context.addIssue({ code: 'custom', message: FORMER_SHOULD });
    return z.NEVER;
  }
});

const [ADAPTER_OF, ACCOUNT_OF] = [
  ['PROVIDER_ADAPTER_', ''] as const,
  ['PROVIDER_ACCOUNT_', ''] as const,
];
const [URL_OF, TOKEN_OF] = [['PROVIDER_URL_', ''] as const, ['PROVIDER_TOKEN_', ''] as const];
const FORMER_OF = ['PROVIDER_FORMER_TOKENS_', ''] as const;
const PERCENT_OF = ['MAX_COST_', '_PERCENT'] as const;
const FIXED_OF = ['MAX_COST_', '_FIXED_USD_CENTS'] as const;
const BELOW_OF = ['MIN_COST_', '_PERCENT_BELOW'] as const;

/** The current accounts, which workers pay through, and the API gets quotes from. */
export const accounts = {
  ...namedSettings(...ADAPTER_OF, (corridor) =>
    oneOf(...ADAPTERS)
      .default('http')
      .describe(
        `The adapter of the payout provider for ${corridor}. Use one value for API and workers.`,
      ),
  ),
  ...namedSettings(...ACCOUNT_OF, () =>
    accountName()
      .default('main')
      .describe(
        'A name for the account there. Another account needs another name, and the old one goes to PROVIDER_FORMER_TOKENS_… of the workers. Use one value for API and workers.',
      ),
  ),
  ...namedSettings(...URL_OF, (corridor) =>
    providerAddress.describe(`Base URL of the payout provider for ${corridor}.`),
  ),
  ...namedSettings(...TOKEN_OF, () =>
    bearer.describe('Credential there: a bearer token, or the JSON object that the adapter needs.'),
  ),
  ...namedSettings(...PERCENT_OF, () =>
    whole(0, 0, 100).describe('By how many percent a payout may cost more than its amount.'),
  ),
  ...namedSettings(...FIXED_OF, () =>
    whole(0, 0, 10_000).describe('USD cents that it may cost in addition.'),
  ),
  ...namedSettings(...BELOW_OF, () =>
    whole(1, 0, 100).describe(
      'By how many percent, or one cent if that is more, a code with an amount may cost less than the payment.',
    ),
  ),
};

type AdapterConfig = Named<'PROVIDER_ADAPTER_', '', AdapterName>;

/** Whether an order there needs the payee's amount. */
export function needsLocal(config: AdapterConfig) {
  const names = valuesOf<AdapterName>(config, ...ADAPTER_OF);
  return byCorridor((corridor) => NEEDS_LOCAL[names[corridor]]);
}

export const providers = {
  ...accounts,
  ...namedSettings(...FORMER_OF, () =>
    formerAccounts
      .optional()
      .describe(
        'Former accounts, a JSON list of {"account", "adapter", "url", "token"}: payouts that were sent through them are queried there, and nothing is sent.',
      ),
  ),
  CALLBACK_PORT: port(0)
    .unwrap()
    .optional()
    .describe(
      'Turns callbacks of providers on (decision 156): their port on HOST, with TLS in prod.',
    ),
  PAID_QUERIES_PER_SECOND: whole(20, 1, 1_000).describe(
    'How many captured payouts one worker queries a second at each corridor\u2019s provider, because money may come back (decision 152).',
  ),
};

export const sandboxServers = {
  PROVIDER_PORT: port(8090).describe('The port of the sandbox provider; 0 takes any free one.'),
  PARTNER_PORT: port(8091).describe(
    'The port of the sandbox partners: key sets and webhook inboxes; 0 takes any free one.',
  ),
  PROVIDER_TOKEN: bearer.describe('The bearer credential that the sandbox provider requires.'),
  CALLBACK_URL: providerAddress
    .optional()
    .describe('The address of a worker that takes its callbacks. Unset: it sends none.'),
};

type ProviderConfig = Named<'PROVIDER_URL_' | 'PROVIDER_TOKEN_', '', string>;

/** The current account of each corridor, and the former ones. */
export function providerSettings(config: ProviderConfig) {
  const [adapters, accounts] = [
    valuesOf<AdapterName>(config, ...ADAPTER_OF),
    valuesOf<string>(config, ...ACCOUNT_OF),
  ];
  const [urls, tokens] = [
    valuesOf<string>(config, ...URL_OF),
    valuesOf<string>(config, ...TOKEN_OF),
  ];
  const former = valuesOf<readonly AccountSettings[] | undefined>(config, ...FORMER_OF);
  return byCorridor((corridor) => ({
    current: {
      account: accounts[corridor],
      adapter: adapters[corridor],
      url: urls[corridor],
      token: tokens[corridor],
    },
    former: former[corridor] ?? [],
  }));
}

export type AccountSettings = z.infer<typeof formerAccount>;

/**
 * One name for two accounts would ask the wrong one about a payout, whose "unknown key" permits to
 * send it again. @throws ConfigError
 */
function rejectEqualNames(config: ProviderConfig): void {
  for (const [corridor, { current, former }] of Object.entries(providerSettings(config))) {
    const names = [current, ...former].map(({ account }) => account);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice === undefined) continue;
    throw new ConfigError(
      `Two accounts of ${corridor} have the name ${twice}: a new account needs another PROVIDER_ACCOUNT_….`,
    );
  }
}

/** @throws ConfigError */
export function rejectAccounts(config: ProviderConfig & { readonly SERVICE_ENV: string }): void {
  rejectEqualNames(config);
  if (config.SERVICE_ENV === 'prod') rejectPlainHttp(config);
}

function rejectPlainHttp(config: ProviderConfig): void {
  const accounts = Object.values(providerSettings(config)).flatMap((of) => [
    of.current,
    ...of.former,
  ]);
  if (accounts.every(({ url }) => url.startsWith('https://'))) return;
  throw new ConfigError(
    'In prod providers are called over https only: set PROVIDER_URL_… and the addresses in PROVIDER_FORMER_TOKENS_… to https addresses.',
  );
}

/** Of an amount in USD cents, what its payout may cost at least and at most. */
export function costBounds(config: object) {
  const percents = valuesOf<number>(config, ...PERCENT_OF);
  const fixed = valuesOf<number>(config, ...FIXED_OF);
  const below = valuesOf<number>(config, ...BELOW_OF);
  return byCorridor((corridor) => (amountUsdCents: number) => ({
    minUsdCents: amountUsdCents - Math.max(1, Math.floor((amountUsdCents * below[corridor]) / 100)),
    maxUsdCents: Math.floor((amountUsdCents * (100 + percents[corridor])) / 100) + fixed[corridor],
  }));
}

/** The settings of a system whose corridors have one provider. */
export const ofOneProvider = (url: string, token: string) => ({
  ...namedSettings(...URL_OF, () => url),
  ...namedSettings(...TOKEN_OF, () => token),
});
