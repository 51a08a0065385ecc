// Brings a database to today's schema and, in the sandbox, puts money into the holding account; then ends.
import { readMigrateConfig } from '../config';
import { createLogger } from '../logger';
import { createDatabase } from '../postgres/database';
import { fundHolding } from '../postgres/holding';
import { migrate } from '../postgres/migrate';
import { runOnce } from './process';

/** USD 100 million: enough for every demonstration and benchmark, and still an account that can run dry. */
const SANDBOX_FUNDS_USD_CENTS = 10_000_000_000;

runOnce('migrate', async () => {
  const config = readMigrateConfig();
  const log = createLogger('migrate', 'info');
  const applied = await migrate(config.DATABASE_URL);
  log.info({ applied }, 'schema is up to date');
  if (config.SERVICE_ENV !== 'sandbox') return;
  const database = createDatabase({
    url: config.DATABASE_URL,
    poolSize: 1,
    onLostConnection: () => undefined,
  });
  const isFunded = await fundHolding(database, {
    key: 'fund:sandbox',
    amountUsdCents: SANDBOX_FUNDS_USD_CENTS,
    actor: 'migrate',
  });
  await database.close();
  log.info({ funded_now: isFunded }, 'the sandbox holding account is funded');
});
