// The database of a process, with what is lost of it told to the log.
import type { Log } from '../ports/log';
import { createDatabase, type Database } from '../postgres/database';

interface DatabaseConfig {
  readonly DATABASE_URL: string;
  readonly DATABASE_POOL_SIZE: number;
}

export function openDatabase(config: DatabaseConfig, log: Log): Database {
  return createDatabase({
    url: config.DATABASE_URL,
    poolSize: config.DATABASE_POOL_SIZE,
    onLostConnection: (error) => {
      log.warn({ err: error }, 'database connection lost');
    },
  });
}
