// `payctl sign METHOD PATH` (docs/operations.md): a request signed by protocol 3, and
// with --explain every step of it, since a refused signature is answered with nothing. It sends nothing.
import { readFileSync, statSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { BODY_MAX_BYTES } from '../../domain/limits';
import {
  explainSignature,
  type ExplainSignatureInput,
  type SignatureExplanation,
} from '../../signing/explain-signature';
import { Rejection } from '../rejection';
import { explanationLines, headerLines } from './signature-lines';
import { readSigningSecret } from './signing-secret';
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

export const addSignCommand = verbAlone('sign <method> <path>', {
  does: 'Sign a request and print its headers; with --explain also the canonical request, component by component. It sends nothing.',
  options: [
    option('--body <text>', 'the exact body').conflicts('bodyFile'),
    option('--body-file <file>', 'a file with the exact bytes of the body'),
    option('--key-id <id>', 'the key that the secret belongs to'),
    option('--timestamp <time>', 'X-Service-Timestamp (default: now)'),
    option('--nonce <hex>', 'X-Service-Nonce (default: a random one)'),
    option('--signature <base64>', 'what other code made of it: is it equal, and if not, why?'),
    option('--explain', 'show every component and the canonical request'),
  ],
  help: `
The signing secret is taken from SIGNING_SECRET, exactly as it stands there. Without it you are asked for it; from a pipe
it is read up to the end, and one line end behind it is left off. It is never an argument: other users see those.`,
  async work(method: string, target: string, options: SignOptions) {
    rejectUnknownMoment(options);
    return explainSignature(await inputOf(method, target, options));
  },
  json: (signed, [, , options]) =>
    isExplained(signed, options) ? explanationJson(signed) : { headers: headersOf(signed) },
  lines: (signed, [, , options]) =>
    isExplained(signed, options) ? explanationLines(signed) : headerLines(signed),
  after({ comparison }) {
    if (comparison?.isEqual !== false) return;
    const parts = comparison.likelyMistakes.map(({ component }) => component).join(' and ');
    throw new Rejection(
      parts === ''
        ? 'The given signature is another one, and no known mistake makes it: compare the components, and the secret.'
        : `The given signature is another one: the mistake is in the ${parts}.`,
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
  return {
    keyId: options.keyId ?? '',
    method,
    target,
    timestamp: options.timestamp ?? systemTime().toISOString(),
    nonce: options.nonce ?? randomBytes(32).toString('hex'),
    body: readBody(options),
    // Asked for last, so that nobody types it for a command that is refused.
    signingSecret: await readSigningSecret(),
    ...(signature !== undefined && { signature }),
  };
}

/** The signature of another moment differs anyway, and would be explained by the wrong reason. */
function rejectUnknownMoment({ signature, timestamp, nonce }: SignOptions): void {
  if (signature === undefined || (timestamp !== undefined && nonce !== undefined)) return;
  throw new Rejection(
    '--signature was made for one timestamp and one nonce: give both as they were sent, with --timestamp and --nonce.',
  );
}

function readBody({ body, bodyFile }: SignOptions): string | Uint8Array {
  if (bodyFile === undefined) return body ?? '';
  try {
    if (statSync(bodyFile).size > BODY_MAX_BYTES) {
      throw new Rejection(
        `--body-file ${bodyFile} is over ${BODY_MAX_BYTES} bytes: it is refused unread.`,
      );
    }
    return readFileSync(bodyFile);
  } catch (cause) {
    if (cause instanceof Rejection) throw cause;
    throw new Rejection(`--body-file ${bodyFile} cannot be read.`, { cause });
  }
}

/** Without --key-id that header is left out: it is not part of what is signed. */
function headersOf({ headers }: SignatureExplanation): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
}

function explanationJson(signed: SignatureExplanation): object {
  const { comparison } = signed;
  return {
    components: signed.components,
    canonical_request: signed.canonicalRequest,
    canonical_bytes: signed.canonicalBytes.length,
    canonical_sha256: signed.canonicalSha256,
    headers: headersOf(signed),
    problems: signed.problems,
    comparison: comparison && {
      is_equal: comparison.isEqual,
      likely_mistakes: comparison.likelyMistakes,
    },
  };
}
