// The settings of each corridor (decision 20). Their names contain that of the corridor, in
// capital letters: PROVIDER_URL_TH_QRPAY.
import { byCorridor, CORRIDORS, type Corridor } from '../corridors/names';
import { AMOUNT_MAX_USD_CENTS } from '../domain/limits';
import { address, flag, matching, whole } from './values';

type Named<Before extends string, After extends string, Value> = {
  readonly [Name in Corridor as `${Before}${Uppercase<Name>}${After}`]: Value;
};

const nameOf = (before: string, corridor: Corridor, after: string) =>
  `${before}${corridor.toUpperCase()}${after}`;

/** A setting of each corridor, under its name. */
export function namedSettings<Before extends string, After extends string, Value>(
  before: Before,
  after: After,
  valueOf: (corridor: Corridor) => Value,
): Named<Before, After, Value> {
  const entries = CORRIDORS.map((name) => [nameOf(before, name, after), valueOf(name)] as const);
  return Object.fromEntries(entries) as Named<Before, After, Value>;
}

function valuesOf<Value>(
  config: object,
  before: string,
  after: string,
): Readonly<Record<Corridor, Value>> {
  const values = config as Readonly<Record<string, Value>>;
  return byCorridor((corridor) => values[nameOf(before, corridor, after)] as Value);
}

const MINIMUM = ['AMOUNT_MIN_', '_USD_CENTS'] as const;

export const minimums = namedSettings(...MINIMUM, (corridor) =>
  whole(1, 1, AMOUNT_MAX_USD_CENTS).describe(`Smallest amount for ${corridor} (decision 3).`),
);

export const minimumUsdCents = (config: Named<'AMOUNT_MIN_', '_USD_CENTS', number>) =>
  valuesOf<number>(config, ...MINIMUM);

const REQUIRED = ['QR_PAYLOAD_REQUIRED_', ''] as const;

/**
 * Where a code is required, the API rejects a payer's confirm without one. Workers and `payctl`
 * reject a confirm by an operator, which never carries a code.
 */
export const payee = namedSettings(...REQUIRED, (corridor) =>
  flag()
    .optional()
    .describe(
      `Whether a confirm for ${corridor} needs the scanned code (decision 20). Unset: yes in prod only. Use one value for API, workers and \`payctl\`.`,
    ),
);

type PayeeConfig = Partial<Named<'QR_PAYLOAD_REQUIRED_', '', boolean | undefined>> & {
  /** `payctl` has none: if the setting is unset there too, the workers reject the confirm. */
  readonly SERVICE_ENV?: 'sandbox' | 'prod';
};

export function isQrPayloadRequired(config: PayeeConfig): Readonly<Record<Corridor, boolean>> {
  const isSet = valuesOf<boolean | undefined>(config, ...REQUIRED);
  return byCorridor((corridor) => isSet[corridor] ?? config.SERVICE_ENV === 'prod');
}

const base =
  'an address that begins with https:// or http://, without user, query, fragment or final slash';
/** Paths are added to it: after a slash or a query they would be those of another resource. */
const providerAddress = address(base, 'https', 'http').refine(
  (url) => /^[^@?#]*[^@?#/]$/.test(url),
  base,
);
/** A header can carry it: no line break, which a file of secrets often ends with. */
export const bearer = matching(
  /^[ -~]{16,}$/,
  'a credential of at least 16 printable ASCII characters, without a line break',
);

const URL_OF = ['PROVIDER_URL_', ''] as const;
const TOKEN_OF = ['PROVIDER_TOKEN_', ''] as const;

export const providers = {
  ...namedSettings(...URL_OF, (corridor) =>
    providerAddress.describe(`Base URL of the payout provider for ${corridor}.`),
  ),
  ...namedSettings(...TOKEN_OF, () => bearer.describe('Bearer credential for that provider.')),
};

type ProviderConfig = Named<'PROVIDER_URL_' | 'PROVIDER_TOKEN_', '', string>;

/** Address and credential of each corridor's provider. */
export function providerSettings(config: ProviderConfig) {
  const [urls, tokens] = [
    valuesOf<string>(config, ...URL_OF),
    valuesOf<string>(config, ...TOKEN_OF),
  ];
  return byCorridor((corridor) => ({ baseUrl: urls[corridor], token: tokens[corridor] }));
}

/** The settings of a system whose corridors have one provider. */
export const ofOneProvider = (url: string, token: string) => ({
  ...namedSettings(...URL_OF, () => url),
  ...namedSettings(...TOKEN_OF, () => token),
});
