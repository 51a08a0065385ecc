// The settings of each corridor (decision 20). Their names contain that of the corridor, in
// capital letters: PROVIDER_URL_TH_QRPAY.
import { byCorridor, CORRIDORS, type Corridor } from '../corridors/names';
import { AMOUNT_MAX_USD_CENTS } from '../domain/limits';
import { PAYEE_KINDS, type PayeeKind } from '../corridors/scheme';
import { flag, matching, whole } from './values';

export type Named<Before extends string, After extends string, Value> = {
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

export function valuesOf<Value>(
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

const MAXIMUM = ['AMOUNT_MAX_', '_USD_CENTS'] as const;

/** The API rejects a larger amount, and workers authorize none. */
export const maximums = namedSettings(...MAXIMUM, (corridor) =>
  whole(AMOUNT_MAX_USD_CENTS, 1, AMOUNT_MAX_USD_CENTS).describe(
    `Largest amount for ${corridor}: what its provider takes. Use one value for API and workers.`,
  ),
);

export const maximumUsdCents = (config: Named<'AMOUNT_MAX_', '_USD_CENTS', number>) =>
  valuesOf<number>(config, ...MAXIMUM);

const KINDS = ['PAYEE_KINDS_', ''] as const;
const CODE_AMOUNT = ['QR_AMOUNT_ALLOWED_', ''] as const;
const QUOTE = ['QUOTE_REQUIRED_', ''] as const;
const A_KIND = `(${PAYEE_KINDS.join('|')})`;

const payeeKinds = matching(
  new RegExp(`^${A_KIND}(, ?${A_KIND})*$`),
  `some of ${PAYEE_KINDS.join(', ')}, with commas between them`,
)
  .prefault(PAYEE_KINDS.filter((kind) => kind !== 'card').join(','))
  .transform((text) => PAYEE_KINDS.filter((kind) => text.split(/, ?/).includes(kind)));

/** Which codes the API accepts. */
export const codes = {
  ...namedSettings(...KINDS, (corridor) =>
    payeeKinds.describe(`What the payee of a code for ${corridor} may be (decision 154).`),
  ),
  ...namedSettings(...CODE_AMOUNT, (corridor) =>
    flag()
      .optional()
      .describe(
        `Whether a code for ${corridor} may have an amount without a quote (decision 32). Unset: in the sandbox only.`,
      ),
  ),
  ...namedSettings(...QUOTE, (corridor) =>
    flag()
      .optional()
      .describe(
        `Whether a confirm for ${corridor} needs a quote (decision 155). Unset: in prod only, where the adapter can give one.`,
      ),
  ),
};

/** What the code of a confirm is checked for before it authorizes. */
export function codeRules(config: Named<'PAYEE_KINDS_', '', readonly PayeeKind[]> & PayeeConfig) {
  const [kinds, isSet] = [
    valuesOf<readonly PayeeKind[]>(config, ...KINDS),
    valuesOf<boolean | undefined>(config, ...CODE_AMOUNT),
  ];
  return byCorridor((corridor) => ({
    payeeKinds: kinds[corridor],
    isCodeAmountAllowed: isSet[corridor] ?? config.SERVICE_ENV !== 'prod',
  }));
}

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

/** @param canQuote whether the adapter of the corridor can give one */
export function isQuoteRequired(
  config: Partial<Named<'QUOTE_REQUIRED_', '', boolean | undefined>> & PayeeConfig,
  canQuote: (corridor: Corridor) => boolean,
): Readonly<Record<Corridor, boolean>> {
  const isSet = valuesOf<boolean | undefined>(config, ...QUOTE);
  const isProd = config.SERVICE_ENV === 'prod';
  return byCorridor((corridor) => isSet[corridor] ?? (isProd && canQuote(corridor)));
}
