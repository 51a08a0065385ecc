// The settings of the connection to Temporal. They have the names, the meaning and the file of
// Temporal's own command line and SDKs, by @temporalio/envconfig (decision 137).
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import {
  loadClientConfigProfile,
  toClientOptions,
  type ClientConfigProfile,
} from '@temporalio/envconfig';
import { z } from 'zod';
import { address, ConfigError, flag, matching, text, type Environment } from './values';
import type { TemporalSettings } from '../temporal/connection';

const file = (what: string) => text('a file').optional().describe(what);
const pem = (what: string) => z.string('PEM').optional().describe(what);

const ADDRESS = /^(\[[0-9A-Fa-f:.]+\]|[^\s:/]+)(:\d{1,5})?$/;
const PAYLOAD_KEYS = /^[\w.-]{1,64}:[A-Za-z0-9+/]{43}=(,[\w.-]{1,64}:[A-Za-z0-9+/]{43}=)*$/;

const idsAndKeys = 'ids and keys, such as 2026-11:<32 bytes in base64>, each id once';

export const temporal = {
  TEMPORAL_ADDRESS: matching(ADDRESS, 'a host and port, such as 127.0.0.1:7233')
    .default('127.0.0.1:7233')
    .describe('Host and port of the Temporal frontend.'),
  TEMPORAL_NAMESPACE: text('a name').default('default').describe('The Temporal namespace.'),
  TEMPORAL_API_KEY: text('a key')
    .optional()
    .describe('The API key, sent as a bearer with every call. It turns TLS on.'),
  TEMPORAL_TLS: flag()
    .optional()
    .describe('Whether the connection uses TLS. Any other TLS setting turns it on too.'),
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: file(
    'Authority of the server, PEM. Unset: those of the system.',
  ),
  TEMPORAL_TLS_SERVER_CA_CERT_DATA: pem('The same as text instead of a file.'),
  TEMPORAL_TLS_CLIENT_CERT_PATH: file('Client certificate for mutual TLS, PEM.'),
  TEMPORAL_TLS_CLIENT_CERT_DATA: pem('The same as text instead of a file.'),
  TEMPORAL_TLS_CLIENT_KEY_PATH: file('Private key of the client certificate, PEM.'),
  TEMPORAL_TLS_CLIENT_KEY_DATA: pem('The same as text instead of a file.'),
  TEMPORAL_TLS_SERVER_NAME: text('a host')
    .optional()
    .describe('The name that the certificate of the server has, if it is not that of the address.'),
  TEMPORAL_CONFIG_FILE: file(
    'A TOML file of profiles, as `temporal config` writes it. The settings above override it.',
  ),
  TEMPORAL_PROFILE: text('a name')
    .optional()
    .describe('The profile of that file; unset: `default`. No file is read if both are unset.'),
  TEMPORAL_PAYLOAD_KEYS: matching(PAYLOAD_KEYS, idsAndKeys)
    .refine(hasEachIdOnce, idsAndKeys)
    .optional()
    .describe(
      'Keys that encrypt what Temporal stores of a workflow, as `id:key` with commas between them; each key is 32 bytes in base64. The first encrypts, all decrypt (decision 138).',
    ),
};

export const temporalUi = {
  TEMPORAL_UI_URL: address('an address that begins with https:// or http://', 'https', 'http')
    .optional()
    .describe("The address of Temporal's web UI, to which `payctl intents show` links."),
};

/**
 * @param environment without empty values
 * @throws ConfigError if a file cannot be read, or if the settings contradict each other
 */
export function temporalSettings(environment: Environment): TemporalSettings {
  try {
    return toSettings(environment);
  } catch (error) {
    // Only the first line: the parser of TOML quotes the lines around an error, perhaps secrets.
    const [why = ''] = String(error instanceof Error ? error.message : error).split('\n');
    throw new ConfigError(`The settings of the connection to Temporal are wrong: ${why}.`);
  }
}

function toSettings(environment: Environment): TemporalSettings {
  const { TEMPORAL_PAYLOAD_KEYS: keys } = environment;
  const { namespace = 'default', connectionOptions } = toClientOptions(profileOf(environment));
  const { address = '127.0.0.1:7233', apiKey, metadata } = connectionOptions;
  const tls = tlsOf(environment, connectionOptions.tls ?? undefined);
  requireSendable({ apiKey, ...metadata });
  requirePem(tls);
  return {
    address,
    namespace,
    ...(typeof apiKey === 'string' && { apiKey }),
    // False too: the SDK turns TLS on for an API key.
    ...(tls !== undefined && { tls }),
    ...(metadata && { metadata: metadata as Record<string, string> }),
    ...(keys !== undefined && { payloadKeys: keys.split(',').map(toPayloadKey) }),
  };
}

function profileOf({ TEMPORAL_TLS: _read, ...environment }: Environment): ClientConfigProfile {
  const { TEMPORAL_CONFIG_FILE: file, TEMPORAL_PROFILE: name } = environment;
  // The library takes a file that is not there for an empty one.
  if (file !== undefined) readFileSync(file);
  const profile = loadClientConfigProfile({
    overrideEnvVars: present(environment),
    disableFile: (file ?? name) === undefined,
    configFileStrict: true,
  });
  const { clientCert, clientKey } = profile.tls ?? {};
  // The library would connect without a certificate.
  if ((clientCert === undefined) !== (clientKey === undefined)) {
    throw new Error('a client certificate and its key go together, as in TEMPORAL_TLS_CLIENT_…');
  }
  return profile;
}

/** TEMPORAL_TLS is read here, because versions of the library differ about its meaning. */
function tlsOf(environment: Environment, found: TemporalSettings['tls']) {
  const { TEMPORAL_TLS: given } = environment;
  if (given === undefined) return found;
  if (flag().parse(given)) return found ?? true;
  // Else certificates would be given, and nothing encrypted.
  const others = Object.keys(environment).filter((name) => name.startsWith('TEMPORAL_TLS_'));
  if (others.length === 0) return false;
  throw new Error(
    `TEMPORAL_TLS is false, which contradicts ${others.join(', ')}: unset one of them`,
  );
}

/**
 * The gRPC library quotes a header that it does not send in its error, which would be logged.
 * @throws Error that does not
 */
function requireSendable(headers: Readonly<Record<string, unknown>>): void {
  const texts = Object.values(headers).filter((one) => typeof one === 'string');
  if (texts.every((one) => /^[ -~]*$/.test(one))) return;
  throw new Error('the API key or a header has a line break or another character that is not sent');
}

/**
 * Node accepts an authority that is none, and the SDK reports wrong files as a server that does not
 * answer.
 */
function requirePem(tls: TemporalSettings['tls']): void {
  if (typeof tls !== 'object') return;
  const { serverRootCACertificate, clientCertPair } = tls;
  const { crt: cert, key } = clientCertPair ?? {};
  const texts = [serverRootCACertificate, cert, key].filter((one) => one !== undefined);
  if (!texts.every((one) => Buffer.from(one).includes('-----BEGIN '))) {
    throw new Error('a certificate, key or authority is not PEM');
  }
  if (cert && key) createSecureContext({ cert: Buffer.from(cert), key: Buffer.from(key) });
}

/** The environment for a program that calls the Temporal server of `npm start`. */
export function withoutTemporalSettings(environment: Environment): Environment {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !name.startsWith('TEMPORAL_')),
  );
}

function present(environment: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}

/** Else payloads would be encrypted by the first key of that id, and decrypted by the last. */
function hasEachIdOnce(pairs: string): boolean {
  const ids = pairs.split(',').map((pair) => pair.split(':')[0]);
  return new Set(ids).size === ids.length;
}

function toPayloadKey(pair: string) {
  const [id = '', key = ''] = pair.split(':');
  return { id, key: Buffer.from(key, 'base64') };
}
