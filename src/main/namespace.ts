// Compares a process with the claim to its Temporal namespace, again and again (decision 128).
import { setTimeout as pause } from 'node:timers/promises';
import { ConfigError, installationKey, type ApiConfig, type WorkerConfig } from '../config/config';
import type { Log } from '../ports/observe';
import type { Queryable } from '../postgres/database';
import { readOwner } from '../postgres/service-environment';
import { createInstallation } from '../signing/installation';

/** What the claim of this process names, read from its database each time. */
export function ownClaim(config: ApiConfig | WorkerConfig, database: Queryable) {
  const { id: installation } = createInstallation(installationKey(config));
  return async () => {
    const owner = await readOwner(database);
    return owner && { ...owner, installation };
  };
}

/**
 * @returns false if that is not known: Temporal or Postgres may be away
 * @throws ConfigError if the namespace is another installation's
 */
export async function isVerified(verify: () => Promise<unknown>, log: Log): Promise<boolean> {
  try {
    await verify();
    return true;
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    log.warn({ err: error }, 'whose Temporal namespace this is could not be read; trying again');
    return false;
  }
}

const EVERY_MS = 60_000;
const AGAIN_AFTER_MS = 1_000;

/** Repeats until the signal is aborted. @throws ConfigError once the namespace is not ours */
export async function keepVerified(
  verify: () => Promise<unknown>,
  log: Log,
  stop: AbortSignal,
  everyMs = EVERY_MS,
): Promise<void> {
  while (!stop.aborted) {
    const waitMs = (await isVerified(verify, log)) ? everyMs : AGAIN_AFTER_MS;
    await pause(waitMs, undefined, { signal: stop }).catch(() => undefined);
  }
}
