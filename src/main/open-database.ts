// The database of a process: one of another environment is refused (decision 128), and what is lost of it is told to the log.
import { DomainError } from '../domain/errors';
import type { Log } from '../ports/log';
import { createDatabase, type Database, type Queryable } from '../postgres/database';
import { isOfOurBaseline, readOwner, type DatabaseOwner } from '../postgres/service-environment';
import { otherBaseline, otherEnvironment } from './other-environment';

interface DatabaseConfig {
  readonly SERVICE_ENV: string;
  readonly DATABASE_URL: string;
  readonly DATABASE_POOL_SIZE: number;
}

interface OpenedDatabase {
  readonly database: Database;
  /** Rejects with a ConfigError once a connection was refused: the process has to end. */
  readonly refused: Promise<never>;
}

type Look = (connection: Queryable) => Promise<void>;

/**
 * Postgres may be away, now or later: whenever it is back, nothing is asked of it before it has said whose it is.
 * @param look reads each new connection after that, before any other statement
 * @throws ConfigError when it says at once that it is another environment's, or of another baseline
 */
export async function openDatabase(
  config: DatabaseConfig,
  log: Log,
  look?: Look,
): Promise<OpenedDatabase> {
  const { admit, refused } = createDoor(config.SERVICE_ENV, look);
  const database = createDatabase({
    url: config.DATABASE_URL,
    poolSize: config.DATABASE_POOL_SIZE,
    admit,
    onLostConnection: (error) => {
      log.warn({ err: error }, 'database connection lost');
    },
  });
  // Of any other failure whoever asks next is told, as they would be later.
  const firstAnswer = database.query({ text: 'select 1' }).catch(() => undefined);
  await Promise.race([refused, firstAnswer]);
  return { database, refused };
}

function createDoor(environment: string, look?: Look) {
  let refuse: (error: Error) => void = () => undefined;
  const refused = new Promise<never>((_resolve, reject) => {
    refuse = reject;
  });
  const admit = async (connection: Queryable): Promise<void> => {
    const owner = await readOwner(connection);
    const error = rejectionOf(owner, environment);
    if (error === undefined) return look?.(connection);
    refuse(error);
    // Like a Postgres that is away: nothing was done, and it may be asked again of a process that has the right one.
    throw new DomainError('unavailable', { reason: 'other_environment', cause: error });
  };
  return { admit, refused };
}

function rejectionOf(owner: DatabaseOwner | undefined, environment: string): Error | undefined {
  if (owner !== undefined && !isOfOurBaseline(owner)) return otherBaseline();
  if (owner?.environment === environment) return undefined;
  return otherEnvironment(owner?.environment, environment);
}
