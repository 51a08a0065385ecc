// Finds the corridor and the payee of a payment code by the schemes of all corridors (decision 20).
import { CORRIDORS, type Corridor } from '../../corridors/names';
import { SCHEMES } from '../../corridors/registry';
import type { CorridorScheme, PayeeTemplate, QrPayee } from '../../corridors/scheme';
import { type DataObjects, readDataObjects } from './objects';
import { QrRejected } from './rejection';

/**
 * The corridor of the code's payee template; currency and country must belong to it.
 * @throws QrRejected `unsupported_scheme` without such a template, `contradictory` if they do not
 * belong
 */
export function findCorridor(root: DataObjects, currency: string, country: string): Corridor {
  const present = CORRIDORS.filter((name) => templatesIn(root, SCHEMES[name]).length > 0);
  if (present.length === 0) throw new QrRejected('unsupported_scheme');
  const fitting = present.find((name) => {
    const scheme = SCHEMES[name];
    return scheme.currency.number === currency && scheme.country === country;
  });
  if (fitting === undefined) throw new QrRejected('contradictory');
  return fitting;
}

/** @throws QrRejected `payee_unclear` unless exactly one payee is named in a form of the scheme */
export function readPayee(root: DataObjects, scheme: CorridorScheme): QrPayee {
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

function templatesIn(root: DataObjects, scheme: CorridorScheme): readonly PayeeTemplate[] {
  return scheme.templates.filter((template) => isOf(template, root.get(template.id) ?? ''));
}

function isOf({ schemeId }: PayeeTemplate, value: string): boolean {
  return value.startsWith(`00${String(schemeId.length)}${schemeId}`);
}
