// The tools of one command: its settings, one Postgres connection and the seal of stored secrets.
import { processEnvironment, readOpsConfig, sealingKeys, type OpsConfig } from '../config/config';
import { createDatabase, type Database, type LendingDatabase } from '../postgres/database';
import { createSecretSeal, type SecretSeal } from '../signing/sealed-secret';
import { opsEnvironment } from './environment';

export interface Session extends PartnerTools {
  readonly config: OpsConfig;
  readonly database: LendingDatabase;
}

/** What a command needs that makes or reads stored secrets. */
export interface SecretTools {
  readonly database: Database;
  readonly seal: SecretSeal;
}

export interface PartnerTools extends SecretTools {
  /** PARTNER_NETWORKS, for partners of the sandbox. */
  readonly networks?: readonly string[] | undefined;
}

/**
 * Closes the connection when the command has finished.
 * @throws ConfigError if a setting is missing or wrong, Rejection if there is no sandbox to work on
 */
export async function inSession<Result>(
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const config = readOpsConfig(opsEnvironment(processEnvironment()));
  const seal = createSecretSeal(...sealingKeys(config));
  const database = createDatabase({
    url: config.DATABASE_URL,
    poolSize: 1,
    onLostConnection: () => undefined,
  });
  try {
    return await work({ config, database, seal, networks: config.PARTNER_NETWORKS });
  } finally {
    await database.close();
  }
}
