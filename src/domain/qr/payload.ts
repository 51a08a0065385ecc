// Strict parser of a scanned payment code (decisions 20 and 32): no code has two readings. API and
// checkout page share it.
import type { Corridor } from '../../corridors/names';
import { SCHEMES } from '../../corridors/registry';
import type { QrPayee } from '../../corridors/scheme';
import { QR_PAYLOAD_MAX_BYTES } from '../limits';
import { type QrCurrency, readMinorUnits } from './amount';
import {
  crcOf,
  type DataObjects,
  readByOtherCounts,
  readDataObjects,
  requiredValue,
  utf8Bytes,
} from './objects';
import { isQrRejection, qrRejection, type QrRejection, QrRejected } from './rejection';
import { findCorridor, isPayeeTemplate, readPayee } from './schemes';

export interface QrPayload {
  readonly corridor: Corridor;
  readonly currency: QrCurrency;
  /** ISO 3166-1, two letters. */
  readonly country: string;
  /** `static` codes are for many payers, `dynamic` ones for one; null if the code does not say. */
  readonly initiation: 'static' | 'dynamic' | null;
  /** Null if the payer chooses the amount. */
  readonly amountMinorUnits: number | null;
  /** Written by the maker of the code; not verified. */
  readonly merchant: { readonly name: string | null; readonly city: string | null };
  readonly payee: QrPayee;
  /** The text as scanned, for the provider. */
  readonly raw: string;
}

const PAYLOAD_FORMAT = '000201';
const CRC_ID = '63';
const CRC_CHARACTERS = 4;
const CRC_HEADER = `${CRC_ID}04`;

/** Tip or convenience indicator, fixed fee, percentage fee. */
const FEE_IDS = ['55', '56', '57'];

/** EMVCo's own templates: their form is checked. Templates of other schemes are not opened. */
const ADDITIONAL_DATA_ID = '62';
const ALTERNATE_LANGUAGE_ID = '64';

const ASCII_ONLY = /^[\x20-\x7e]+$/;
const CONTROL = /\p{Cc}/u;
const LONE_SURROGATE = /\p{Cs}/u;

/** Parses a code for this corridor. Never throws. */
export function parseQrPayload(text: string, corridor: Corridor): QrPayload | QrRejection {
  const result = readQrPayload(text);
  if (isQrRejection(result) || result.corridor === corridor) return result;
  return qrRejection('wrong_corridor');
}

/** Parses a code of any corridor. Never throws. */
export function readQrPayload(text: string): QrPayload | QrRejection {
  try {
    return readPayload(text);
  } catch (error) {
    if (error instanceof QrRejected) return qrRejection(error.code);
    throw error;
  }
}

function readPayload(text: string): QrPayload {
  requireEnvelope(text);
  const root = readDataObjects(text);
  requireCrcLast(root);
  requireCharacters(root);
  requireTemplates(root);
  requireOnePayee(root, text);
  const currency = requiredValue(root, '53', /^\d{3}$/);
  const country = requiredValue(root, '58', /^[A-Z]{2}$/);
  const corridor = findCorridor(root, currency, country);
  const scheme = SCHEMES[corridor];
  return {
    corridor,
    currency: scheme.currency,
    country,
    initiation: readInitiation(root),
    amountMinorUnits: readAmount(root, scheme.currency),
    merchant: { name: readText(root, '59'), city: readText(root, '60') },
    payee: readPayee(root, scheme),
    raw: text,
  };
}

/** The check value comes first, so that a misread code is not reported as malformed. */
function requireEnvelope(text: string): void {
  const isLonger = text.length > QR_PAYLOAD_MAX_BYTES;
  if (isLonger || utf8Bytes(text).length > QR_PAYLOAD_MAX_BYTES) throw new QrRejected('too_long');
  if (!text.startsWith(PAYLOAD_FORMAT)) throw new QrRejected('not_a_payment_code');
  const checked = text.slice(0, -CRC_CHARACTERS);
  if (LONE_SURROGATE.test(text) || !checked.endsWith(CRC_HEADER)) throw new QrRejected('malformed');
  // A number in hexadecimal: wallets and banks write its letters in either case.
  if (text.slice(-CRC_CHARACTERS).toUpperCase() !== crcOf(checked)) {
    throw new QrRejected('crc_wrong');
  }
}

/** The check value must be an object of its own, the last one. */
function requireCrcLast(root: DataObjects): void {
  const [id, value] = [...root][root.size - 1] ?? [];
  if (id !== CRC_ID || value?.length !== CRC_CHARACTERS) throw new QrRejected('malformed');
}

/**
 * EMVCo: printable ASCII except in the name in another language. So a name cannot imitate another.
 */
function requireCharacters(root: DataObjects): void {
  for (const [id, value] of root) {
    const isAllowed = id === ALTERNATE_LANGUAGE_ID ? !CONTROL.test(value) : ASCII_ONLY.test(value);
    if (!isAllowed) throw new QrRejected('malformed');
  }
}

function requireTemplates(root: DataObjects): void {
  for (const id of [ADDITIONAL_DATA_ID, ALTERNATE_LANGUAGE_ID]) {
    readDataObjects(root.get(id) ?? '');
  }
}

/**
 * A name in another language may end in digits that readers who count bytes, or UTF-16 units as
 * JavaScript does, take for the next objects: the provider would pay a payee that the payer has not
 * seen.
 */
function requireOnePayee(root: DataObjects, text: string): void {
  for (const [id, value] of readByOtherCounts(text)) {
    if (isPayeeTemplate(id) && root.get(id) !== value) throw new QrRejected('payee_unclear');
  }
}

/** Spaces alone are no text. */
function readText(root: DataObjects, id: string): string | null {
  const text = root.get(id)?.trim() ?? '';
  return text === '' ? null : text;
}

function readInitiation(root: DataObjects): 'static' | 'dynamic' | null {
  if (!root.has('01')) return null;
  return requiredValue(root, '01', /^1[12]$/) === '11' ? 'static' : 'dynamic';
}

/** A fee would change the sum, and the payer has agreed to an amount in USD already. */
function readAmount(root: DataObjects, currency: QrCurrency): number | null {
  if (FEE_IDS.some((id) => root.has(id))) throw new QrRejected('fee_asked');
  const amount = root.get('54');
  return amount === undefined ? null : readMinorUnits(amount, currency);
}
