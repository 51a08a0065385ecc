// What a command works with: settings, one connection to Postgres and the seal, closed when the command is done.
import { processEnvironment, readOpsConfig, sealingKeys, type OpsConfig } from '../config';
import { createDatabase, type LendingDatabase } from '../postgres/database';
import { createSecretSeal, type SecretSeal } from '../signing/sealed-secret';
import { opsEnvironment } from './environment';

export interface Session {
  readonly config: OpsConfig;
  readonly database: LendingDatabase;
  readonly seal: SecretSeal;
}

/** @throws ConfigError when a setting is missing or wrong, Rejection when there is no sandbox to work on. */
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
    return await work({ config, database, seal });
  } finally {
    await database.close();
  }
}
