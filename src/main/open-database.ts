// Opens the database of a process. It rejects a database of another environment (decision 128), a
// connection pooler and a key that opens none of the stored secrets, and logs lost connections.
import { sealingKeys, type SealingConfig } from '../config/config';
import { CORRIDORS, isCorridor } from '../corridors/names';
import { DomainError } from '../domain/errors';
import type { Log } from '../ports/observe';
import {
  createDatabase,
  readOne,
  type LendingDatabase,
  type Queryable,
} from '../postgres/database';
import { opensStoredSecrets } from '../postgres/partners/sealing-key';
import { readCorridors } from '../postgres/ledger/balances';
import {
  hasFourEyes,
  isOfOurBaseline,
  readOwner,
  recordInstallation,
  type DatabaseOwner,
} from '../postgres/service-environment';
import { createInstallation } from '../signing/installation';
import { createSecretSeal } from '../signing/sealed-secret';
import {
  databaseLacks,
  otherInstallation,
  otherBaseline,
  otherDatabase,
  otherEnvironment,
  otherKey,
  pooledDatabase,
} from './other-environment';

interface DatabaseConfig extends SealingConfig {
  readonly INSTALLATION_KEY: string;
  readonly SERVICE_ENV: string;
  readonly DATABASE_URL: string;
  readonly DATABASE_POOL_SIZE: number;
}

interface OpenedDatabase {
  readonly database: LendingDatabase;
  /**
   * Rejects with a ConfigError once a connection led to a database of another environment, to
   * another database than the first or to a connection pooler, or the first one to secrets of
   * another key: the process has to exit.
   */
  readonly rejected: Promise<never>;
}

type OnConnect = (connection: Queryable) => Promise<void>;

/**
 * Postgres may be away, now or later. Each new connection first reads which environment the
 * database belongs to.
 * @param onConnect runs on each new connection after that check, before any other statement
 * @throws ConfigError when the first connection shows another environment or another baseline
 */
export async function openDatabase(
  config: DatabaseConfig,
  log: Log,
  onConnect?: OnConnect,
): Promise<OpenedDatabase> {
  const { admit, rejected } = createAdmission(config, log, onConnect);
  const database = createDatabase({
    url: config.DATABASE_URL,
    poolSize: config.DATABASE_POOL_SIZE,
    admit,
    onLostConnection: (error) => log.warn({ err: error }, 'database connection lost'),
  });
  // Any other failure is reported to the caller of the next statement, as it would be later on.
  const firstAnswer = database.query({ text: 'select 1' }).catch(() => undefined);
  await Promise.race([rejected, firstAnswer]);
  return { database, rejected };
}

function createAdmission(config: DatabaseConfig, log: Log, onConnect?: OnConnect) {
  const hasOtherKey = createKeyCheck(config);
  const missingCorridor = createCorridorCheck(log);
  const isOtherInstallation = createInstallationCheck(config);
  const otherHere = async (connection: Queryable) =>
    (await isOtherInstallation(connection))
      ? otherInstallation()
      : await missingCorridor(connection);
  const sayPolicy = createPolicyNotice(log);
  let first: DatabaseOwner | undefined;
  let rejectDatabase: (error: Error) => void = () => undefined;
  const rejected = new Promise<never>((_resolve, reject) => {
    rejectDatabase = reject;
  });
  const admit = async (connection: Queryable): Promise<void> => {
    const owner = await readOwner(connection);
    first ??= owner;
    const error = (await isPooled(connection))
      ? pooledDatabase()
      : (rejectionOf(owner, config.SERVICE_ENV, first) ??
        ((await hasOtherKey(connection)) ? otherKey() : await otherHere(connection)));
    if (error === undefined) {
      await sayPolicy(connection);
      return onConnect?.(connection);
    }
    rejectDatabase(error);
    // The request gets the same answer as when Postgres is away: nothing was done, and the caller
    // may repeat it.
    throw new DomainError('unavailable', { reason: 'other_environment', cause: error });
  };
  return { admit, rejected };
}

/** Compares once, and records the id where none is. */
function createInstallationCheck(config: DatabaseConfig) {
  const { id } = createInstallation(Buffer.from(config.INSTALLATION_KEY, 'base64'));
  let isRight = false;
  return async (connection: Queryable): Promise<boolean> => {
    isRight ||= (await recordInstallation(connection, id)) === id;
    return !isRight;
  };
}

/** Says once that nobody needs a second person. */
function createPolicyNotice(log: Log) {
  let isRead = false;
  const say = (isOn: boolean) => {
    if (!isOn && !isRead) log.info({}, 'four eyes are off: each operator decides alone');
    isRead = true;
  };
  return async (connection: Queryable): Promise<void> => {
    if (isRead) return;
    // A read that fails is repeated by the next connection.
    const isOn = await hasFourEyes(connection);
    say(isOn);
  };
}

/**
 * Looks once: a process that has started goes on with the secrets that it has opened, although
 * every stored one was since sealed under a key that it lacks.
 */
function createKeyCheck(config: DatabaseConfig) {
  const seal = createSecretSeal(...sealingKeys(config));
  let isRight = false;
  return async (connection: Queryable): Promise<boolean> => {
    isRight ||= await opensStoredSecrets(connection, seal);
    return !isRight;
  };
}

/**
 * Compares once. A corridor that the database lacks would pay out and never capture. One that only
 * the database has is logged: a rollback must start.
 */
function createCorridorCheck(log: Log) {
  let isCompared = false;
  return async (connection: Queryable): Promise<Error | undefined> => {
    if (isCompared) return undefined;
    const stored = await readCorridors(connection);
    isCompared = true;
    const lacking = CORRIDORS.filter((corridor) => !stored.includes(corridor));
    if (lacking.length > 0) return databaseLacks(lacking);
    const unused = stored.filter((corridor) => !isCorridor(corridor));
    if (unused.length > 0)
      log.warn({ corridors: unused }, 'corridors of the database that this build lacks');
    return undefined;
  };
}

/**
 * Whether the process that was announced when the connection was made is not the one that answers.
 * A pooler such as PgBouncer announces a number of its own, by which clients cancel. Our prepared
 * statements, settings and locks belong to a session, which it may give to another client.
 */
async function isPooled(connection: Queryable): Promise<boolean> {
  const { pid } = await readOne<{ readonly pid: number }>(connection, {
    text: 'select pg_backend_pid() as pid',
  });
  const announced = 'processID' in connection ? connection.processID : pid;
  return announced !== pid;
}

function rejectionOf(
  owner: DatabaseOwner | undefined,
  environment: string,
  first: DatabaseOwner | undefined,
): Error | undefined {
  if (owner !== undefined && !isOfOurBaseline(owner)) return otherBaseline();
  if (owner?.environment !== environment) return otherEnvironment(owner?.environment, environment);
  return owner.database === first?.database ? undefined : otherDatabase();
}
