// The published vectors, read and typed.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface RequestVector {
  readonly name: string;
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

interface Vectors {
  readonly requests: readonly RequestVector[];
  readonly webhooks: readonly WebhookVector[];
}

export function readVectors(): Vectors {
  const path = join(__dirname, '..', 'vectors', 'signing.json');
  return JSON.parse(readFileSync(path, 'utf8')) as Vectors;
}
