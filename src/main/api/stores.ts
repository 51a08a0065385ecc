// What the API reads and writes in Postgres.
import { randomBytes } from 'node:crypto';
import { sealingKeys, type ApiConfig } from '../../config/config';
import { ID_RANDOM_BYTES, makeEventId } from '../../domain/ids';
import type { Database } from '../../postgres/database';
import { createIntentStore } from '../../postgres/intents/store';
import { createPartnerDirectory, createPartnerLogos } from '../../postgres/partners/directory';
import { createPartnerLimits } from '../../postgres/partners/limits';
import { createReplayGuard } from '../../postgres/partners/nonces';
import { createSessionTokenStore } from '../../postgres/partners/session-tokens';
import { createSecretSeal } from '../../signing/sealed-secret';
import type { Around } from '../around';

export function createStores(config: ApiConfig, database: Database, around: Around) {
  const environment = config.SERVICE_ENV;
  const seal = createSecretSeal(...sealingKeys(config));
  const intents = createIntentStore({
    database,
    environment,
    makeEventId: () => makeEventId(Date.now(), randomBytes(ID_RANDOM_BYTES)),
  });
  return {
    intents: around('intents', intents),
    limits: createPartnerLimits(database),
    logos: createPartnerLogos(database, environment),
    tokens: around('tokens', createSessionTokenStore(database)),
    replayGuard: around('replayGuard', createReplayGuard(database, environment)),
    partners: createPartnerDirectory({ database, environment, seal }),
    isDatabaseUp: () =>
      database.query({ text: 'select 1' }).then(
        () => true,
        () => false,
      ),
  };
}
