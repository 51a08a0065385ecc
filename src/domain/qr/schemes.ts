// The national QR schemes of the corridors (decision 20): how a code shows its scheme, its currency
// and country, and its payee. Forms as in promptparse, promptpay-qr, vietnam-qr-pay and vietqrjs.
import type { Corridor } from '../corridor';
import type { QrCurrency } from './amount';
import { type DataObjects, readDataObjects, requiredValue } from './objects';
import { QrRejected } from './rejection';

/** The payee in the terms of the scheme. Ids are text, because they begin with zeros. */
export type QrPayee =
  | {
      readonly kind: 'proxy';
      readonly proxyType: 'mobile' | 'national_id' | 'ewallet' | 'bank_account';
      readonly proxyId: string;
    }
  | {
      readonly kind: 'biller';
      readonly billerId: string;
      readonly reference1: string;
      readonly reference2: string | null;
    }
  | {
      readonly kind: 'bank';
      readonly bankId: string;
      readonly accountType: 'account' | 'card' | 'merchant';
      /** For `card` a full card number. Never log or show it. */
      readonly accountId: string;
    };

interface QrScheme {
  readonly corridor: Corridor;
  readonly currency: QrCurrency;
  readonly country: string;
  readonly templates: readonly PayeeTemplate[];
}

interface PayeeTemplate {
  readonly id: string;
  /** The globally unique identifier: object 00, the first of the template. */
  readonly schemeId: string;
  readonly read: (template: DataObjects) => QrPayee;
}

/**
 * Left out on purpose: `A000000677010114`, with which a payer is charged; `A000000677012006`, whose
 * payee is in another country; and template 31, which repeats template 30 for the acquirer.
 */
const TH_TEMPLATES: readonly PayeeTemplate[] = [
  { id: '29', schemeId: 'A000000677010111', read: readProxy },
  { id: '30', schemeId: 'A000000677010112', read: readBiller },
];
const VN_TEMPLATES: readonly PayeeTemplate[] = [
  { id: '38', schemeId: 'A000000727', read: readBankAccount },
];

const SCHEME_OF: Readonly<Record<Corridor, QrScheme>> = {
  th_qrpay: {
    corridor: 'th_qrpay',
    currency: { code: 'THB', number: '764', exponent: 2 },
    country: 'TH',
    templates: TH_TEMPLATES,
  },
  vn_qrpay: {
    corridor: 'vn_qrpay',
    currency: { code: 'VND', number: '704', exponent: 0 },
    country: 'VN',
    templates: VN_TEMPLATES,
  },
};

const PROXIES = [
  { id: '01', proxyType: 'mobile', form: /^0066\d{9}$/ },
  { id: '02', proxyType: 'national_id', form: /^\d{13}$/ },
  { id: '03', proxyType: 'ewallet', form: /^\d{15}$/ },
  { id: '04', proxyType: 'bank_account', form: /^\d{3}[0-9A-Za-z]{1,40}$/ },
] as const;

const ACCOUNT_TYPES = [
  { service: 'QRIBFTTA', accountType: 'account' },
  { service: 'QRIBFTTC', accountType: 'card' },
  { service: 'QRPUSH', accountType: 'merchant' },
] as const;

const BILLER_ID = /^\d{13}(\d{2})?$/;
const REFERENCE = /^.{1,20}$/;
const BANK_ID = /^\d{6}$/;
const ACCOUNT_ID = /^[!-~]{1,19}$/;

/**
 * The scheme of the code's payee template; currency and country must belong to it.
 * @throws QrRejected `unsupported_scheme` without such a template, `contradictory` if they do not
 * belong
 */
export function findScheme(root: DataObjects, currency: string, country: string): QrScheme {
  const present = Object.values(SCHEME_OF).filter((scheme) => templatesIn(root, scheme).length > 0);
  if (present.length === 0) throw new QrRejected('unsupported_scheme');
  const fitting = present.find(
    (scheme) => scheme.currency.number === currency && scheme.country === country,
  );
  if (fitting === undefined) throw new QrRejected('contradictory');
  return fitting;
}

/** @throws QrRejected `payee_unclear` unless exactly one payee is named in a form of the scheme */
export function readPayee(root: DataObjects, scheme: QrScheme): QrPayee {
  const [template] = templatesIn(root, scheme);
  const named = [...root].filter(([id, value]) => {
    return isPayeeTemplate(id) && scheme.templates.some((one) => isOf(one, value));
  });
  if (template === undefined || named.length > 1) throw new QrRejected('payee_unclear');
  return template.read(readDataObjects(root.get(template.id) ?? ''));
}

/** EMVCo: a reader may find its template by the identifier alone, under any of these ids. */
export function isPayeeTemplate(id: string): boolean {
  return id >= '26' && id <= '51';
}

function templatesIn(root: DataObjects, scheme: QrScheme): readonly PayeeTemplate[] {
  return scheme.templates.filter((template) => isOf(template, root.get(template.id) ?? ''));
}

function isOf({ schemeId }: PayeeTemplate, value: string): boolean {
  return value.startsWith(`00${String(schemeId.length)}${schemeId}`);
}

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

function payeeValue(objects: DataObjects, id: string, form: RegExp): string {
  return requiredValue(objects, id, form, 'payee_unclear');
}
