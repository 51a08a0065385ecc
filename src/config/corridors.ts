// The settings of each corridor (decision 20). Their names contain that of the corridor, in
// capital letters: PROVIDER_URL_TH_QRPAY.
import { byCorridor, CORRIDORS, type Corridor } from '../corridors/names';
import { AMOUNT_MAX_USD_CENTS } from '../domain/limits';
import { flag, whole } from './values';

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
