// The options and settings of the conformance command. Secrets are never arguments, because other
// users of the machine can see those.
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { isCorridor } from '../../corridors/names';
import type { EnvironmentOptions } from './environment';
import { sendOnce } from './exchange';
import type { Receiver } from './receiver-checks';
import type { TokenSigner } from './tokens';

export const USAGE = `usage: conformance [--base-url URL --key KEY_ID_OR_FILE] [--receiver URL] [options]
       conformance explain-signature METHOD PATH --timestamp T --nonce N
                   --signature S [--body TEXT | --body-file FILE] [--json]
       conformance explain-token INTENT_ID [--for confirm|read] [--json]

Checks an environment with a partner's key, and the partner's webhook receiver.
It creates intents of the smallest amount and cancels them.
The verbs explain-… say which mistake is behind a 401.

  --base-url URL        the API, without /v1
  --key KEY_ID_OR_FILE  the key id, or a JSON file with key_id and the settings
  --receiver URL        a webhook endpoint of yours
  --sandbox             also confirm a payment; elsewhere that moves money
  --amount CENTS        the amount of the intents (default: 1)
  --corridor CORRIDOR   th_qrpay (default) or vn_qrpay
  --json                print JSON

Settings, from the environment or, in lower case, from the file: SIGNING_SECRET;
for tokens ISSUER, SESSION_KID and SESSION_PRIVATE_KEY_PEM; for --receiver
WEBHOOK_SECRET. explain-signature reads SIGNING_SECRET, KEY_ID and BASE_URL;
explain-token those, ISSUER and SESSION_TOKEN.

Exit codes: 0 all passed, 1 a check failed or a mistake was found, 2 wrong usage
or settings.`;

/** The message is for the person who typed the command. */
export class UsageError extends Error {}

export interface Settings {
  readonly isJson: boolean;
  readonly isSandbox: boolean;
  readonly environment: EnvironmentOptions | undefined;
  readonly signer: TokenSigner | undefined;
  readonly receiver: Receiver | undefined;
}

export const OPTIONS = {
  'base-url': { type: 'string' },
  key: { type: 'string' },
  receiver: { type: 'string' },
  sandbox: { type: 'boolean', default: false },
  amount: { type: 'string', default: '1' },
  corridor: { type: 'string', default: 'th_qrpay' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

export type Variables = Readonly<Record<string, string | undefined>>;
type Setting = (name: string) => string;

/** @returns undefined when the help was requested. @throws UsageError */
export function readSettings(args: readonly string[], variables: Variables): Settings | undefined {
  const { values: options } = argumentsIn({ args: [...args], options: OPTIONS });
  if (options.help) return undefined;
  const file = fileOf(options.key);
  const setting = (name: string) => file?.[name.toLowerCase()] ?? variables[name] ?? '';
  const receiver = receiverOf(options.receiver, setting);
  const baseUrl = options['base-url'];
  if (baseUrl === undefined && receiver === undefined) {
    throw new UsageError('There is nothing to check: give --base-url with --key, or --receiver.');
  }
  return {
    isJson: options.json,
    isSandbox: options.sandbox,
    environment:
      baseUrl === undefined
        ? undefined
        : {
            ...{ baseUrl: checkedUrl('--base-url', baseUrl), send: sendOnce },
            keyId: required(file === undefined ? options.key : setting('KEY_ID'), '--key'),
            signingSecret: required(setting('SIGNING_SECRET'), 'SIGNING_SECRET'),
            amountUsdCents: amountIn(options.amount),
            corridor: corridorIn(options.corridor),
          },
    signer: signerOf(setting),
    receiver,
  };
}

/** @throws UsageError */
export function argumentsIn<Config extends ParseArgsConfig>(config: Config) {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** Undefined for a key id. The file has the form of a partner in `.local/sandbox.json`. */
function fileOf(key: string | undefined): Readonly<Record<string, string>> | undefined {
  if (key === undefined || !existsSync(key)) return undefined;
  try {
    const value: unknown = JSON.parse(readFileSync(key, 'utf8'));
    const texts = Object.entries(value ?? {}).filter(([, text]) => typeof text === 'string');
    return Object.fromEntries(texts);
  } catch {
    throw new UsageError(`--key: ${key} is not a JSON file.`);
  }
}

function receiverOf(url: string | undefined, setting: Setting): Receiver | undefined {
  if (url === undefined) return undefined;
  const secret = required(setting('WEBHOOK_SECRET'), 'WEBHOOK_SECRET');
  if (!/^whsec_[\w+/]+=*$/.test(secret)) {
    throw new UsageError('WEBHOOK_SECRET is not whsec_ followed by the key in base64.');
  }
  return { url: checkedUrl('--receiver', url), secret, send: sendOnce };
}

function signerOf(setting: Setting): TokenSigner | undefined {
  const [issuer, kid, privateKeyPem] = ['ISSUER', 'SESSION_KID', 'SESSION_PRIVATE_KEY_PEM'].map(
    setting,
  );
  return issuer && kid && privateKeyPem ? { issuer, kid, privateKeyPem } : undefined;
}

/** @param option names the file in the message */
export function readFile(option: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    throw new UsageError(`${option}: ${path} cannot be read.`);
  }
}

export function required(value: string | undefined, name: string): string {
  if (value !== undefined && value !== '') return value;
  throw new UsageError(`${name} is missing.`);
}

export function checkedUrl(name: string, value: string): string {
  // No message repeats them; an error of fetch would.
  if (/^https?:\/*[^/?#]*@/i.test(value)) {
    throw new UsageError(`${name} may hold no credentials. Leave out what is before the @.`);
  }
  if (/^https?:/.test(value) && URL.canParse(value)) return value;
  throw new UsageError(`${name}: ${value} is not a URL. Expected http://… or https://….`);
}

function amountIn(text: string): number {
  const cents = Number(text);
  if (Number.isSafeInteger(cents) && cents >= 1) return cents;
  throw new UsageError(`--amount: ${text} is not an amount. Expected whole cents, from 1.`);
}

export function corridorIn(text: string) {
  if (isCorridor(text)) return text;
  throw new UsageError(`--corridor: ${text} is not a corridor. Expected th_qrpay or vn_qrpay.`);
}
