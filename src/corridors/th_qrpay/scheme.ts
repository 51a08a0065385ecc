// Thailand: PromptPay codes. Forms as in promptparse and promptpay-qr.
import type { DataObjects } from '../../domain/qr/objects';
import { QrRejected } from '../../domain/qr/rejection';
import { payeeValue, type CorridorScheme, type QrPayee } from '../scheme';

const PROXIES = [
  { id: '01', proxyType: 'mobile', form: /^0066\d{9}$/ },
  { id: '02', proxyType: 'national_id', form: /^\d{13}$/ },
  { id: '03', proxyType: 'ewallet', form: /^\d{15}$/ },
  { id: '04', proxyType: 'bank_account', form: /^\d{3}[0-9A-Za-z]{1,40}$/ },
] as const;

const BILLER_ID = /^\d{13}(\d{2})?$/;
const REFERENCE = /^.{1,20}$/;

/**
 * Left out on purpose: `A000000677010114`, with which a payer is charged; `A000000677012006`, whose
 * payee is in another country; and template 31, which repeats template 30 for the acquirer.
 */
export const TH_QRPAY: CorridorScheme = {
  currency: { code: 'THB', number: '764', exponent: 2 },
  country: 'TH',
  templates: [
    { id: '29', schemeId: 'A000000677010111', read: readProxy },
    { id: '30', schemeId: 'A000000677010112', read: readBiller },
  ],
  sampleCode:
    '00020101021129370016A0000006770101110113006680000000053037645802TH5915SANDBOX NOODLES6007BANGKOK63046C47',
};

function readProxy(template: DataObjects): QrPayee {
  const [proxy, another] = PROXIES.filter(({ id }) => template.has(id));
  if (proxy === undefined || another !== undefined) throw new QrRejected('payee_unclear');
  const proxyId = payeeValue(template, proxy.id, proxy.form);
  return { kind: 'proxy', proxyType: proxy.proxyType, proxyId };
}

function readBiller(template: DataObjects): QrPayee {
  return {
    kind: 'biller',
    billerId: payeeValue(template, '01', BILLER_ID),
    reference1: payeeValue(template, '02', REFERENCE),
    reference2: template.has('03') ? payeeValue(template, '03', REFERENCE) : null,
  };
}
