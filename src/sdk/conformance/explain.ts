// The verbs `explain-signature` and `explain-token`: which mistake is behind a 401, for partners of
// every language. Secrets are read from the environment.
import {
  explainSignature,
  explainToken,
  type SignatureExplanation,
  type TokenExplanation,
} from '../index';
import { systemNow } from '../clock';
import { createEnvironment } from './environment';
import { parsed, sendOnce } from './exchange';
import { parseIntent } from '../intent';
import { wrapped } from './report';
import {
  argumentsIn,
  checkedUrl,
  readFile,
  required,
  UsageError,
  type Variables,
} from './settings';

export interface Printed {
  readonly text: string;
  /** 0: nothing is wrong that can be known here. */
  readonly code: 0 | 1;
}

const OPTIONS = {
  timestamp: { type: 'string' },
  nonce: { type: 'string' },
  signature: { type: 'string' },
  body: { type: 'string' },
  'body-file': { type: 'string' },
  for: { type: 'string', default: 'confirm' },
  json: { type: 'boolean', default: false },
} as const;

/** @throws UsageError */
export async function explain(args: readonly string[], variables: Variables): Promise<Printed> {
  const [verb, ...rest] = args;
  const { values, positionals } = readArguments(rest);
  const setting = (name: string) => variables[name] ?? '';
  return verb === 'explain-token'
    ? printedToken(await tokenExplained(positionals, values.for, setting), values.json)
    : printedSignature(signatureExplained(positionals, values, setting), values.json);
}

const readArguments = (args: readonly string[]) =>
  argumentsIn({ args: [...args], options: OPTIONS, allowPositionals: true });
type Values = ReturnType<typeof readArguments>['values'];
type Setting = (name: string) => string;

function signatureExplained(
  [method, target]: readonly string[],
  values: Values,
  setting: Setting,
): SignatureExplanation {
  const file = values['body-file'];
  return explainSignature({
    keyId: setting('KEY_ID') || undefined,
    signingSecret: required(setting('SIGNING_SECRET'), 'SIGNING_SECRET'),
    method: required(method, 'The method'),
    target: required(target, 'The path'),
    baseUrl: setting('BASE_URL') || undefined,
    timestamp: required(values.timestamp, '--timestamp'),
    nonce: required(values.nonce, '--nonce'),
    signature: required(values.signature, '--signature'),
    body: file === undefined ? (values.body ?? '') : readFile('--body-file', file),
    now: systemNow(),
  });
}

async function tokenExplained(
  [intentId]: readonly string[],
  purpose: string,
  setting: Setting,
): Promise<TokenExplanation> {
  const given = (name: string) => required(setting(name), name);
  if (purpose !== 'confirm' && purpose !== 'read') {
    throw new UsageError(`--for: ${purpose} is neither confirm nor read.`);
  }
  const token = given('SESSION_TOKEN');
  const issuer = checkedUrl('ISSUER', given('ISSUER')).replace(/\/$/, '');
  const jwksUrl = `${issuer}/.well-known/jwks.json`;
  const published = await sendOnce(jwksUrl, { method: 'GET', headers: {} });
  const environment = createEnvironment({
    ...{ baseUrl: checkedUrl('BASE_URL', given('BASE_URL')), send: sendOnce },
    ...{ keyId: given('KEY_ID'), signingSecret: given('SIGNING_SECRET') },
    ...{ amountUsdCents: 1, corridor: 'th_qrpay' },
  });
  const answer = await environment.get(required(intentId, 'The id of the intent'));
  const intent = answer.status === 200 ? parseIntent(parsed(answer.text)) : undefined;
  const keySet = parsed(published.text);
  return explainToken({ token, jwksUrl, keySet, purpose, ...(intent && { intent }) });
}

function printedSignature(explained: SignatureExplanation, isJson: boolean): Printed {
  const { comparison, problems, components, canonicalRequest, canonicalSha256 } = explained;
  const code = comparison?.isEqual === true ? 0 : 1;
  if (isJson) {
    const shown = { components, canonicalRequest, canonicalSha256, problems, comparison };
    return { text: JSON.stringify(shown, null, 2), code };
  }
  const lines = [
    'The canonical request, as a JSON string:',
    ...wrapped(JSON.stringify(canonicalRequest), '  '),
    `Its SHA-256: ${canonicalSha256}`,
    ...problems.flatMap((problem) => wrapped(`Problem: ${problem}`, '')),
    ...wrapped(sentenceOf(comparison), ''),
  ];
  return { text: lines.join('\n'), code };
}

const OTHER_CAUSES =
  'If it is still answered with 401: the address is not registered, the key is another one or revoked, the clock is more than five minutes off, the nonce was used, or the request was changed on its way.';

function sentenceOf(comparison: SignatureExplanation['comparison']): string {
  if (comparison?.isEqual === true) return `The signature is right. ${OTHER_CAUSES}`;
  const mistakes = comparison?.likelyMistakes ?? [];
  return mistakes.length === 0
    ? 'The signature differs, and no known mistake explains it. Compare the secret.'
    : `The signature differs: ${mistakes.map(({ sentence }) => sentence).join(' ')}`;
}

function printedToken(explained: TokenExplanation, isJson: boolean): Printed {
  const code = explained.failed === null ? 0 : 1;
  if (isJson) return { text: JSON.stringify(explained, null, 2), code };
  const lines = explained.checks
    .filter(({ outcome }) => outcome !== 'not_reached')
    .flatMap(({ outcome, claim, reason, expected, found }) =>
      outcome === 'failed'
        ? wrapped(`failed   ${claim}, ${reason}: expected ${expected}; found ${found}.`, '')
        : [`${outcome.padEnd(9)}${claim}`],
    );
  const end =
    explained.failed === null
      ? 'No check fails that can be made here: `jti` and ages of attestations are the service’s.'
      : 'The service rejects this token with 401.';
  return { text: [...lines, ...wrapped(end, '')].join('\n'), code };
}
