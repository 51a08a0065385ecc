// One `npm start` per clone. The lock names its owner by pid and start time, so a killed one's lock is known as such.
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { errorCode } from './error-code';
import { ourIdentity } from './process-end';
import { isAlive, type ProcessIdentity } from './process-identity';

const ownerSchema = z.object({ pid: z.number().int().positive(), startedAt: z.string() });

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
      const owner = ownerOf(file);
      if (owner && isAlive(owner)) return { isOurs: false, owner };
      setAside(file, us);
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
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Renamed first: if another start took the stale lock meanwhile and this is its new one, it is put back. */
function setAside(file: string, us: ProcessIdentity): void {
  const aside = `${file}.stale-${String(us.pid)}`;
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  const owner = ownerOf(aside);
  if (owner && isAlive(owner)) linked(aside, file);
  rmSync(aside, { force: true });
}

function ownerOf(file: string): ProcessIdentity | undefined {
  try {
    return ownerSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}
