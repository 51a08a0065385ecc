// Vietnam: VietQR codes. Forms as in vietnam-qr-pay and vietqrjs.
import { type DataObjects, readDataObjects } from '../../domain/qr/objects';
import { QrRejected } from '../../domain/qr/rejection';
import { payeeValue, type CorridorScheme, type QrPayee } from '../scheme';

const ACCOUNT_TYPES = [
  { service: 'QRIBFTTA', accountType: 'account' },
  { service: 'QRIBFTTC', accountType: 'card' },
  { service: 'QRPUSH', accountType: 'merchant' },
] as const;

const BANK_ID = /^\d{6}$/;
const ACCOUNT_ID = /^[!-~]{1,19}$/;

export const VN_QRPAY: CorridorScheme = {
  currency: { code: 'VND', number: '704', exponent: 0 },
  country: 'VN',
  templates: [{ id: '38', schemeId: 'A000000727', read: readBankAccount }],
  sampleCode:
    '00020101021138570010A00000072701270006999999011300000000000000208QRIBFTTA53037045802VN5914SANDBOX COFFEE6005HANOI6304DBBC',
};

/** A missing service, and one without a payee such as cash withdrawal (`QRCASH`), is rejected. */
function readBankAccount(template: DataObjects): QrPayee {
  const type = ACCOUNT_TYPES.find(({ service }) => service === template.get('02'));
  if (type === undefined) throw new QrRejected('payee_unclear');
  const account = readDataObjects(template.get('01') ?? '');
  return {
    kind: 'bank',
    bankId: payeeValue(account, '00', BANK_ID),
    accountType: type.accountType,
    accountId: payeeValue(account, '01', ACCOUNT_ID),
  };
}
