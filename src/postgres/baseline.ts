// Until 0.1.0 is released its migrations may be rewritten, and so may what workflows record. A database that an earlier text of them
// made cannot be brought up to date: it is recognised and left as it is.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const MIGRATIONS = join(__dirname, 'migrations');

/** Later ones come on top of the baseline and are no part of it. */
const LAST_OF_BASELINE = '0006-reconcile.sql';
/** Raised with every change after which open workflows of before cannot go on. */
const WORKFLOWS = 3;

let known: string | undefined;

/** Of this build: 16 hexadecimal digits. */
export function ourBaseline(): string {
  known ??= digestOf(readdirSync(MIGRATIONS).filter((name) => name <= LAST_OF_BASELINE));
  return known;
}

function digestOf(names: readonly string[]): string {
  const hash = createHash('sha256').update(`workflows ${String(WORKFLOWS)}\n`);
  for (const name of [...names].sort()) hash.update(readFileSync(join(MIGRATIONS, name)));
  return hash.digest('hex').slice(0, 16);
}
