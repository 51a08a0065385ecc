// Migrates a database to the schema of this build, records its environment and, in the sandbox,
// funds the holding account. Then it exits.
import { readMigrateConfig } from '../config/config';
import { createLogger } from '../observe/logger';
import { createDatabase } from '../postgres/database';
import { fundHoldingAccount } from '../postgres/ledger/holding-account';
import { hasOtherMigrations, migrate } from '../postgres/migrate';
import { writableServer } from '../postgres/servers';
import { isOfOurBaseline, readOwner, recordEnvironment } from '../postgres/service-environment';
import { otherBaseline, otherEnvironment } from './other-environment';
import { runOnce } from './process';

/** USD 100 million: enough for every demonstration and benchmark, and still a finite balance. */
const SANDBOX_FUNDS_USD_CENTS = 10_000_000_000;

runOnce('migrate', async () => {
  const { DATABASE_URL: url, SERVICE_ENV: environment } = readMigrateConfig();
  const log = createLogger('migrate', 'info');
  const database = createDatabase({ url, poolSize: 1, onLostConnection: () => undefined });
  // Checked before the schema is changed: only a deployment of its own environment may migrate a
  // database.
  const before = await readOwner(database);
  const isOther =
    before === undefined ? await hasOtherMigrations(database) : !isOfOurBaseline(before);
  if (isOther) throw otherBaseline();
  if (before !== undefined && before.environment !== environment) {
    throw otherEnvironment(before.environment, environment);
  }
  const applied = await migrate(await writableServer(url));
  const recorded = await recordEnvironment(database, environment);
  if (recorded !== environment) throw otherEnvironment(recorded, environment);
  log.info({ applied, environment }, 'schema is up to date');
  if (environment === 'sandbox') {
    const isFunded = await fundHoldingAccount(database, {
      key: 'fund:sandbox',
      amountUsdCents: SANDBOX_FUNDS_USD_CENTS,
      actor: 'migrate',
    });
    log.info({ funded_now: isFunded }, 'the sandbox holding account is funded');
  }
  await database.close();
});
