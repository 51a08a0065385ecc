// Brings a database to today's schema, records whose it is and, in the sandbox, puts money into the holding account; then ends.
import { readMigrateConfig } from '../config';
import { createLogger } from '../logger';
import { createDatabase, type Database } from '../postgres/database';
import { fundHoldingAccount } from '../postgres/ledger/holding-account';
import { hasOtherMigrations, migrate } from '../postgres/migrate';
import { isOfOurBaseline, readOwner, recordEnvironment } from '../postgres/service-environment';
import { otherBaseline, otherEnvironment } from './other-environment';
import { runOnce } from './process';

/** USD 100 million: enough for every demonstration and benchmark, and still an account that can run dry. */
const SANDBOX_FUNDS_USD_CENTS = 10_000_000_000;

runOnce('migrate', async () => {
  const { DATABASE_URL: url, SERVICE_ENV: environment } = readMigrateConfig();
  const log = createLogger('migrate', 'info');
  const database = createDatabase({ url, poolSize: 1, onLostConnection: () => undefined });
  // Asked before the schema is touched: that of another environment is changed when that one is deployed.
  const before = await readOwner(database);
  const isOther =
    before === undefined ? await hasOtherMigrations(database) : !isOfOurBaseline(before);
  if (isOther) throw otherBaseline();
  if (before !== undefined && before.environment !== environment) {
    throw otherEnvironment(before.environment, environment);
  }
  const applied = await migrate(url);
  const recorded = await recordEnvironment(database, environment);
  if (recorded !== environment) throw otherEnvironment(recorded, environment);
  log.info({ applied, environment }, 'schema is up to date');
  if (environment === 'sandbox') {
    const isFunded = await fundSandbox(database);
    log.info({ funded_now: isFunded }, 'the sandbox holding account is funded');
  }
  await database.close();
});

function fundSandbox(database: Database): Promise<boolean> {
  return fundHoldingAccount(database, {
    key: 'fund:sandbox',
    amountUsdCents: SANDBOX_FUNDS_USD_CENTS,
    actor: 'migrate',
  });
}
