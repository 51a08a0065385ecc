// Payment codes for tests, built by foreign libraries and not by our code: data objects by
// promptparse, the checksum over UTF-8 bytes by vietnam-qr-pay.
import { byCorridor } from '../../../src/corridors/names';
import { encode, tag } from 'promptparse';
import { QRPay } from 'vietnam-qr-pay';

/** Id and value, in the order they are written. */
type DataObject = readonly [id: string, value: string];

export function objects(...list: readonly DataObject[]): string {
  return encode(list.map(([id, value]) => tag(id, value)));
}

/** Adds a correct checksum, whatever the text contains. */
export function sealed(text: string): string {
  const checked = `${text}6304`;
  return checked + QRPay.genCRCCode(checked);
}

export const TH_PROXY = objects(['00', 'A000000677010111'], ['01', '0066801234567']);
export const TH_BILL = objects(
  ['00', 'A000000677010112'],
  ['01', '099400016550100'],
  ['02', 'INV1'],
);
export const VN_ACCOUNT = objects(['00', '970403'], ['01', '0011012345678']);
export const VN_BANK = objects(['00', 'A000000727'], ['01', VN_ACCOUNT], ['02', 'QRIBFTTA']);

const TH_CODE = { '00': '01', '01': '11', '29': TH_PROXY, '53': '764', '58': 'TH' };
const VN_CODE = { '00': '01', '01': '11', '38': VN_BANK, '53': '704', '58': 'VN' };

/** Changes to a valid code; null removes an object. */
type Changes = Readonly<Record<string, string | null>>;

export function aThaiCode(changes: Changes = {}): string {
  return aCode({ ...TH_CODE, ...changes });
}

export function aVietnameseCode(changes: Changes = {}): string {
  return aCode({ ...VN_CODE, ...changes });
}

/** Orders the objects by id, as EMVCo does. */
function aCode(all: Changes): string {
  const present = Object.entries(all)
    .filter((entry): entry is [string, string] => entry[1] !== null)
    .sort(([id], [other]) => Number(id) - Number(other));
  return sealed(objects(...present));
}

/** The default of the settings (decision 20). */
export const NO_CODE_REQUIRED = byCorridor(() => false);
