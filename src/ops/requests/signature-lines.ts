// A signature for people: what was signed, in which order, and what to check next.
import type { SignatureComparison, SignatureExplanation } from '../../signing/explain-signature';
import {
  indented,
  notedTableLines,
  recordLines,
  sentenceSection,
  WIDTH,
  type NotedRow,
} from '../layout';

const SECTION_WIDTH = WIDTH - 2;

export function headerLines({ headers }: SignatureExplanation): readonly string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

export function explanationLines(explanation: SignatureExplanation): readonly string[] {
  return [
    'Five components, in this order, joined by single newlines:',
    ...notedTableLines(explanation.components.map(toNotedRow), SECTION_WIDTH).map(indented),
    '',
    `The canonical request, ${explanation.canonicalBytes.length} bytes, written as a JSON string:`,
    indented(JSON.stringify(explanation.canonicalRequest)),
    '',
    'How the signature is made:',
    ...recordLines(
      {
        'SHA-256 of those bytes': explanation.canonicalSha256,
        signature:
          'base64 of HMAC-SHA256 over those bytes; the key is the UTF-8 bytes of the secret',
      },
      SECTION_WIDTH,
    ).map(indented),
    '',
    'The headers:',
    ...headerLines(explanation).map(indented),
    ...keyIdLines(explanation),
    ...sentenceSection('Problems:', explanation.problems),
    ...comparisonLines(explanation.comparison),
    ...sentenceSection('If a request signed like this is still answered with 401:', OTHER_CAUSES),
  ];
}

function keyIdLines({ headers }: SignatureExplanation): readonly string[] {
  const isThere = headers['X-Service-Key-Id'] !== undefined;
  return isThere ? [] : ['  The key id was left out: give --key-id or KEY_ID. It is not signed.'];
}

/** The 401 is the same for all of these (protocol 8.3). */
const OTHER_CAUSES: readonly string[] = [
  'The request comes from an address that is not registered.',
  'The key id is not the one that this secret was issued with, or the key is revoked or of the other environment.',
  'The timestamp is more than five minutes off the time of the service: compare it with the Date header of the response.',
  'The nonce was sent before: every request needs a new one, and so does every repeat.',
  'A header is sent twice, or a bearer token is sent as well.',
  'The request as sent differs from the one shown here, such as a body that a library or a proxy writes anew.',
];

/** A body digest of 64 characters fits 80 columns. */
function toNotedRow({ name, value, source }: SignatureExplanation['components'][0]): NotedRow {
  return {
    row: { component: name, value: value === '' ? '(empty)' : value },
    notes: [`from ${source}`],
  };
}

function comparisonLines(comparison: SignatureComparison | null): readonly string[] {
  if (comparison === null) return [];
  if (comparison.isEqual) return sentenceSection('The given signature:', ['It is equal.']);
  const mistakes = comparison.likelyMistakes.map(
    ({ component, sentence }) => `${component}: ${sentence}`,
  );
  return mistakes.length > 0
    ? sentenceSection('The given signature is exactly what this mistake makes:', mistakes)
    : sentenceSection('The given signature:', ['It differs, and no known mistake explains it.']);
}
