// The secrets of this clone's sandbox, made once and stored in `.local/secrets.json`, which only
// its owner may read.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readJsonFile, writePrivateJson } from '../private-files';
import { StartError } from './start-error';

const secretsSchema = z.object({
  /** 32 bytes in base64: seals the partners' secrets in the database. */
  key_encryption_key: z.string(),
  /**
   * 32 bytes in base64: intent ids of create requests with an idempotency key are derived from it.
   */
  installation_key: z.string(),
  provider_token: z.string(),
  postgres_password: z.string(),
});

export type Secrets = z.infer<typeof secretsSchema>;

/** @throws StartError when the file is not as it should be: with new secrets the data is lost */
export function readOrMakeSecrets(directory: string): Secrets {
  const file = join(directory, 'secrets.json');
  const known = secretsSchema.safeParse(readJsonFile(file));
  if (known.success) return known.data;
  if (existsSync(file)) {
    throw new StartError(
      `${file} is not JSON, or lacks a secret: correct it, or delete ${directory} to start afresh.`,
    );
  }
  const secrets = {
    key_encryption_key: randomBytes(32).toString('base64'),
    installation_key: randomBytes(32).toString('base64'),
    provider_token: randomBytes(24).toString('base64url'),
    postgres_password: randomBytes(24).toString('base64url'),
  };
  writePrivateJson(file, secrets);
  return secrets;
}
