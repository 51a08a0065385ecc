// The digest of the schema's baseline. Until 0.1.0 is released its migrations may be rewritten, and
// so may what workflows record. A database made by earlier ones cannot be migrated: the digest
// recognises it, and it is left unchanged.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const MIGRATIONS = join(__dirname, 'migrations');

/** Later migrations are applied on top of the baseline and are not part of its digest. */
const LAST_OF_BASELINE = '0013-statements.sql';
/** Raise this with every change after which workflows of an earlier build cannot continue. */
const WORKFLOWS = 8;

let cachedDigest: string | undefined;

/** The baseline of this build: 16 hexadecimal digits. */
export function ourBaseline(): string {
  cachedDigest ??= digestOf(readdirSync(MIGRATIONS).filter((name) => name <= LAST_OF_BASELINE));
  return cachedDigest;
}

function digestOf(names: readonly string[]): string {
  const hash = createHash('sha256').update(`workflows ${String(WORKFLOWS)}\n`);
  for (const name of [...names].sort()) hash.update(readFileSync(join(MIGRATIONS, name)));
  return hash.digest('hex').slice(0, 16);
}
