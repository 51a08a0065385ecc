// One `npm start` per clone. The lock names its owner by pid and start time, so a killed one's lock is known as such.
import { linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonFile } from '../private-files';
import { identitySchema, isAlive, ourIdentity, type ProcessIdentity } from './processes';

export type StartLock =
  | { readonly isOurs: true; release(): void }
  | { readonly isOurs: false; readonly owner: ProcessIdentity };

/** Takes the lock, or answers who is running here. */
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

/** A hard link is made in one step and never over another, so of two starts one gets it. */
function linked(claim: string, file: string): boolean {
  try {
    linkSync(claim, file);
    return true;
  } catch (error) {
    // Not by `instanceof`: under Jest, errors of Node come from another realm.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Renamed first: if another start took the stale lock meanwhile and this is its new one, it is put back. */
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
