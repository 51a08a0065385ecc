// `payctl sign`: signs a request by protocol 3, and shows every step with --explain, because the
// response to a rejected signature says nothing. It sends nothing.
import { readFileSync, statSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { processEnvironment } from '../../config/config';
import { BODY_MAX_BYTES } from '../../domain/limits';
import {
  explainSignature,
  type ExplainSignatureInput,
  type SignatureExplanation,
} from '../../signing/explain-signature';
import { Rejection } from '../rejection';
import { explanationLines, headerLines } from './signature-lines';
import { readSecret, SIGNING_SECRET } from './secret-input';
import { systemTime } from '../system-time';
import { option, verbAlone } from '../verb';

interface SignOptions {
  readonly body?: string;
  readonly bodyFile?: string;
  readonly keyId?: string;
  readonly timestamp?: string;
  readonly nonce?: string;
  readonly signature?: string;
  readonly explain?: boolean;
}

export const sign = verbAlone('sign <method> <path>', {
  does: 'Sign a request and print its headers; with --explain also the canonical request, component by component. It sends nothing.',
  options: [
    option('--body <text>', 'the exact body').conflicts('bodyFile'),
    option('--body-file <file>', 'a file with the exact bytes of the body'),
    option('--key-id <id>', 'the key that the secret belongs to (default: KEY_ID)'),
    option('--timestamp <time>', 'X-Service-Timestamp (default: now)'),
    option('--nonce <hex>', 'X-Service-Nonce (default: a random one)'),
    option('--signature <base64>', 'a signature by other code, to compare and to explain'),
    option('--explain', 'show every component and the canonical request'),
  ],
  help: `
The signing secret is read from SIGNING_SECRET, exactly as it is set, or else
from a prompt. From a pipe it is read to the end, without one final line break.
It is never an argument, because other users of the machine can see those.

With BASE_URL, or a full URL as the path, it finds a signature of the full URL.`,
  async work(method: string, target: string, options: SignOptions) {
    requireTimestampAndNonce(options);
    return explainSignature(await inputOf(method, target, options));
  },
  json: (signed, [, , options]) =>
    isExplained(signed, options) ? explanationJson(signed) : { headers: signed.headers },
  lines: (signed, [, , options]) =>
    isExplained(signed, options) ? explanationLines(signed) : headerLines(signed),
  after({ comparison }) {
    if (comparison?.isEqual !== false) return;
    const parts = comparison.likelyMistakes.map(({ component }) => component).join(' and ');
    throw new Rejection(
      parts === ''
        ? 'The given signature differs, and no known mistake explains it. Compare the components, and the secret.'
        : `The given signature differs: the mistake is in the ${parts}.`,
    );
  },
});

function isExplained({ comparison }: SignatureExplanation, { explain }: SignOptions): boolean {
  return explain === true || comparison !== null;
}

async function inputOf(
  method: string,
  target: string,
  options: SignOptions,
): Promise<ExplainSignatureInput> {
  const { signature } = options;
  const { KEY_ID = '', BASE_URL } = processEnvironment();
  return {
    keyId: options.keyId ?? (KEY_ID === '' ? undefined : KEY_ID),
    baseUrl: BASE_URL,
    method,
    target,
    timestamp: options.timestamp ?? systemTime().toISOString(),
    now: systemTime(),
    nonce: options.nonce ?? randomBytes(32).toString('hex'),
    body: readBody(options),
    // Read last, so that no one types the secret for a command that is rejected.
    signingSecret: await readSecret(SIGNING_SECRET),
    ...(signature !== undefined && { signature }),
  };
}

/** A signature for another timestamp or nonce differs anyway: the explanation would be wrong. */
function requireTimestampAndNonce({ signature, timestamp, nonce }: SignOptions): void {
  if (signature === undefined || (timestamp !== undefined && nonce !== undefined)) return;
  throw new Rejection(
    '--signature belongs to one timestamp and one nonce: give both as they were sent, with --timestamp and --nonce.',
  );
}

function readBody({ body, bodyFile }: SignOptions): string | Uint8Array {
  if (bodyFile === undefined) return body ?? '';
  try {
    if (statSync(bodyFile).size > BODY_MAX_BYTES) {
      throw new Rejection(
        `--body-file ${bodyFile} is over ${BODY_MAX_BYTES} bytes, which the API rejects. It was not read.`,
      );
    }
    return readFileSync(bodyFile);
  } catch (cause) {
    if (cause instanceof Rejection) throw cause;
    throw new Rejection(`--body-file ${bodyFile} cannot be read.`, { cause });
  }
}

function explanationJson(signed: SignatureExplanation): object {
  const { comparison } = signed;
  return {
    components: signed.components,
    canonical_request: signed.canonicalRequest,
    canonical_bytes: signed.canonicalBytes.length,
    canonical_sha256: signed.canonicalSha256,
    headers: signed.headers,
    problems: signed.problems,
    comparison: comparison && {
      is_equal: comparison.isEqual,
      likely_mistakes: comparison.likelyMistakes,
    },
  };
}
