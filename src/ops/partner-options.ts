// What a partner may be registered with (decision 26): in prod addresses are https, in the sandbox http will do.
import { isIP } from 'node:net';
import { Refusal } from './refusal';

type Environment = 'sandbox' | 'prod';

/** @throws Refusal */
export function parseJwksUrl(text: string, environment: Environment): URL {
  return parseAddress('--jwks-url', text, environment);
}

/** @throws Refusal */
export function parseWebhookUrl(text: string, environment: Environment): URL {
  return parseAddress('--webhook-url', text, environment);
}

/** @throws Refusal unless the text is an IPv4 or IPv6 address or CIDR block. Bits beyond the prefix are refused by the database. */
export function parseNetwork(text: string): string {
  const [address = '', prefix, ...rest] = text.split('/');
  const bits = isIP(address) === 6 ? 128 : 32;
  const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
  if (isIP(address) === 0 || !isPrefix || rest.length > 0) {
    throw new Refusal(
      `--allow ${text} is not an address or CIDR block, such as 203.0.113.7 or 2001:db8::/48.`,
    );
  }
  return text;
}

/** Schemes a page must never be sent to (decision 28). */
const FORBIDDEN_SCHEMES = new Set([
  'http',
  'https',
  'javascript',
  'data',
  'file',
  'intent',
  'blob',
  'about',
  'vbscript',
]);

/** @throws Refusal */
export function parseReturnScheme(text: string): string {
  if (!/^[a-z][a-z0-9+.-]{1,62}$/.test(text) || FORBIDDEN_SCHEMES.has(text)) {
    throw new Refusal(`--return-scheme ${text} is not a scheme of an app, such as acme-pay.`);
  }
  return text;
}

function parseAddress(option: string, text: string, environment: Environment): URL {
  if (!URL.canParse(text)) throw new Refusal(`${option} ${text} is not a URL.`);
  const url = new URL(text);
  if ([url.username, url.password, url.hash].some((part) => part !== '')) {
    throw new Refusal(`${option} may hold neither credentials nor a fragment.`);
  }
  const schemes = environment === 'sandbox' ? ['https:', 'http:'] : ['https:'];
  if (!schemes.includes(url.protocol)) {
    throw new Refusal(
      `${option} ${text} must begin with ${schemes.join('// or ')}// in ${environment}.`,
    );
  }
  return url;
}
