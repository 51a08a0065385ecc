// Codes that the payers of the tests scan; two of them are shown in docs/checkout.
import { aThaiCode, aVietnameseCode, objects } from '../support/payments/qr-codes';

/** A code with every object that a merchant may put into it. */
export const FULL_CODE = aThaiCode({
  '30': objects(['00', 'A000000677010112'], ['01', '099400016550100'], ['02', 'TABLE12']),
  '29': null,
  '54': '422.50',
  '59': 'BAAN SOMTUM',
  '60': 'BANGKOK',
});

/** Shown in docs/checkout, so that users of the sandbox can scan them. */
export const SAMPLE_CODES: Readonly<Record<string, string>> = {
  'code-th': FULL_CODE,
  'code-vn': aVietnameseCode({ '54': '180000', '59': 'PHO 24', '60': 'HANOI' }),
};

/** A person's code: no name, no amount. */
export const BARE_CODE = aThaiCode();
