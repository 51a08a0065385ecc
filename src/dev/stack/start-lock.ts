// The lock that allows one `npm start` per clone. It names its owner by pid and start time, so the
// lock of a killed start is recognised as stale.
import { linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonFile } from '../private-files';
import { identitySchema, isAlive, ourIdentity, type ProcessIdentity } from './processes';

type StartLock =
  | { readonly isOurs: true; release(): void }
  | { readonly isOurs: false; readonly owner: ProcessIdentity };

/** Takes the lock, or returns the process that holds it. */
export function takeStartLock(directory: string): StartLock {
  mkdirSync(directory, { recursive: true });
  const file = join(directory, 'start.lock');
  const us = ourIdentity();
  const claim = `${file}.${String(us.pid)}`;
  writeFileSync(claim, JSON.stringify(us), { mode: 0o600 });
  try {
    while (!linked(claim, file)) {
      const owner = livingOwner(file);
      if (owner) return { isOurs: false, owner };
      setAside(file, `${claim}.stale`);
    }
  } finally {
    rmSync(claim, { force: true });
  }
  return {
    isOurs: true,
    release: () => {
      rmSync(file, { force: true });
    },
  };
}

/**
 * Creating a hard link is atomic and never replaces another, so only one of two starts gets the
 * lock.
 */
function linked(claim: string, file: string): boolean {
  try {
    linkSync(claim, file);
    return true;
  } catch (error) {
    // Not `instanceof`: under Jest, errors of Node come from another realm.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Removes a stale lock. It is renamed first and put back if it is the new lock of another start by
 * now.
 */
function setAside(file: string, aside: string): void {
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  if (livingOwner(aside)) linked(aside, file);
  rmSync(aside, { force: true });
}

function livingOwner(file: string): ProcessIdentity | undefined {
  const { data: owner } = identitySchema.safeParse(readJsonFile(file));
  return owner && isAlive(owner) ? owner : undefined;
}
