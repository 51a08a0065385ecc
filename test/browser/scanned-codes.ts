// Codes that payers of the tests scan, two of them shown in docs/checkout.
import { aThaiCode, aVietnameseCode, objects } from '../support/payments/qr-codes';

/** A code with all that a merchant may write into it. */
export const FULL_CODE = aThaiCode({
  '30': objects(['00', 'A000000677010112'], ['01', '099400016550100'], ['02', 'TABLE12']),
  '29': null,
  '54': '422.50',
  '59': 'BAAN SOMTUM',
  '60': 'BANGKOK',
});

/** To be scanned from docs/checkout by whoever tries the sandbox. */
export const SAMPLE_CODES: Readonly<Record<string, string>> = {
  'code-th': FULL_CODE,
  'code-vn': aVietnameseCode({ '54': '180000', '59': 'PHO 24', '60': 'HANOI' }),
};

/** Of a person: no name, no amount. */
export const BARE_CODE = aThaiCode();
