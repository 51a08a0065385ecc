// Reads the published vectors, with types.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface RequestVector {
  readonly name: string;
  readonly key_id: string;
  readonly secret: string;
  readonly method: string;
  readonly path: string;
  readonly timestamp: string;
  readonly nonce: string;
  readonly body: string;
  readonly body_digest: string;
  readonly canonical: string;
  readonly signature: string;
}

export interface WebhookVector {
  readonly name: string;
  readonly secret: string;
  readonly id: string;
  readonly timestamp: string;
  readonly body: string;
  readonly signature: string;
}

/** The result of a common mistake in signing the request named `of`. */
interface MistakeVector {
  readonly name: string;
  readonly of: string;
  readonly canonical: string;
  readonly signature: string;
}

interface Vectors {
  readonly requests: readonly RequestVector[];
  readonly not_equal: readonly MistakeVector[];
  readonly webhooks: readonly WebhookVector[];
}

export interface TokenVector {
  readonly name: string;
  readonly accepted: boolean;
  /** The step that rejects it, `attestations` for decision 9; null if it is accepted. */
  readonly step: string | null;
  readonly now: string;
  readonly key_set: string;
  readonly intent: VectorIntent;
  readonly jti_used: boolean;
  readonly header: string;
  readonly payload: string;
  readonly signing_input: string;
  /** The `kid` of the key that made the RS256 signature; null if there is none. */
  readonly signed_with: string | null;
  readonly token: string;
}

interface VectorIntent {
  readonly intent_id: string;
  readonly amount_usd_cents: number;
  readonly corridor: string;
  readonly status: string;
}

interface TokenVectors {
  readonly partners: readonly {
    readonly name: string;
    readonly jwks_url: string;
    readonly issuers: readonly string[];
  }[];
  readonly keys: readonly {
    readonly kid: string;
    readonly private_key_pem: string;
    readonly public_key_pem: string;
  }[];
  readonly key_sets: readonly {
    readonly name: string;
    readonly jwks_url: string;
    readonly document: { readonly keys: readonly { readonly kid: string }[] };
  }[];
  readonly tokens: readonly TokenVector[];
}

export function readVectors(): Vectors {
  return read('signing.json') as Vectors;
}

export function readTokenVectors(): TokenVectors {
  return read('session-token.json') as TokenVectors;
}

export function requestNamed(name: string): RequestVector {
  const vector = readVectors().requests.find((request) => request.name === name);
  if (vector === undefined) throw new Error(`no vector ${name}`);
  return vector;
}

function read(file: string): unknown {
  return JSON.parse(readFileSync(join(__dirname, '..', 'vectors', file), 'utf8'));
}
