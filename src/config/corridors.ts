// The settings of each corridor (decisions 3 and 20), by their names, and functions that read them
// by corridor.
import { address, flag, matching, whole } from './values';
import type { Corridor } from '../domain/corridor';
import { AMOUNT_MAX_USD_CENTS } from '../domain/limits';

const smallest = (corridor: Corridor) =>
  whole(1, 1, AMOUNT_MAX_USD_CENTS).describe(`Smallest amount for ${corridor} (decision 3).`);

export const minimums = {
  AMOUNT_MIN_TH_QRPAY_USD_CENTS: smallest('th_qrpay'),
  AMOUNT_MIN_VN_QRPAY_USD_CENTS: smallest('vn_qrpay'),
};

export function minimumUsdCents(
  config: Readonly<Record<keyof typeof minimums, number>>,
): Readonly<Record<Corridor, number>> {
  return {
    th_qrpay: config.AMOUNT_MIN_TH_QRPAY_USD_CENTS,
    vn_qrpay: config.AMOUNT_MIN_VN_QRPAY_USD_CENTS,
  };
}

const codeRequired = (corridor: Corridor) =>
  flag()
    .optional()
    .describe(
      `Whether a confirm for ${corridor} needs the scanned code (decision 20). Unset: yes in prod only. Use one value for API, workers and \`payctl\`.`,
    );

/**
 * Where a code is required, the API rejects a payer's confirm without one. Workers and `payctl`
 * reject a confirm by an operator, which never carries a code.
 */
export const payee = {
  QR_PAYLOAD_REQUIRED_TH_QRPAY: codeRequired('th_qrpay'),
  QR_PAYLOAD_REQUIRED_VN_QRPAY: codeRequired('vn_qrpay'),
};

type PayeeConfig = Readonly<Partial<Record<keyof typeof payee, boolean | undefined>>> & {
  /** `payctl` has none: if the setting is unset there too, the workers reject the confirm. */
  readonly SERVICE_ENV?: 'sandbox' | 'prod';
};

export function isQrPayloadRequired(config: PayeeConfig): Readonly<Record<Corridor, boolean>> {
  const unset = config.SERVICE_ENV === 'prod';
  return {
    th_qrpay: config.QR_PAYLOAD_REQUIRED_TH_QRPAY ?? unset,
    vn_qrpay: config.QR_PAYLOAD_REQUIRED_VN_QRPAY ?? unset,
  };
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

export const providers = {
  PROVIDER_URL_TH_QRPAY: providerAddress.describe('Base URL of the payout provider for th_qrpay.'),
  PROVIDER_URL_VN_QRPAY: providerAddress.describe('Base URL of the payout provider for vn_qrpay.'),
  PROVIDER_TOKEN_TH_QRPAY: bearer.describe('Bearer credential for that provider.'),
  PROVIDER_TOKEN_VN_QRPAY: bearer.describe('Bearer credential for that provider.'),
};
