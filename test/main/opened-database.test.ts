// What a process checks of its database at its start, beside the environment: its keys, its
// installation, and whether one operator decides alone.
import { randomBytes } from 'node:crypto';
import { ConfigError } from '../../src/config/config';
import { openDatabase } from '../../src/main/open-database';
import { resealSecrets } from '../../src/ops/keys/reseal';
import { revokeKey } from '../../src/ops/keys/revoke';
import type { Log } from '../../src/ports/observe';
import { recordEnvironment } from '../../src/postgres/service-environment';
import { createSecretSeal } from '../../src/signing/sealed-secret';
import { withDatabase } from '../support/brackets';
import { INSTALLATION_KEY, KEY_ENCRYPTION_KEY } from '../support/builders';
import { ANN, aPartner } from '../support/payments/partner';
import { SILENT } from '../support/silent-log';

const bed = withDatabase({ isPerTest: true, fundedUsdCents: 0 });
const ping = { text: 'select 1 as one' };

const open = (environment: string, settings: object = {}, log: Log = SILENT) =>
  openDatabase(
    {
      ...{ SERVICE_ENV: environment, DATABASE_URL: bed.url, DATABASE_POOL_SIZE: 2 },
      KEY_ENCRYPTION_KEY: KEY_ENCRYPTION_KEY.toString('base64'),
      INSTALLATION_KEY: INSTALLATION_KEY.toString('base64'),
      ...settings,
    },
    log,
  );

describe('a process', () => {
  it.each([
    ['sandbox', ['four eyes are off: each operator decides alone']],
    ['prod', []],
  ])('of %s says once at its start whether one operator decides alone', async (env, expected) => {
    await recordEnvironment(bed.database, env);
    const said: string[] = [];
    const info = (_fields: object, sentence: string) => said.push(sentence);
    const { database } = await open(env, {}, { ...SILENT, info });
    await Promise.all([database.query(ping), database.query(ping)]);
    expect(said).toEqual(expected);
    await database.close();
  });

  it('does not open a database of another installation', async () => {
    await recordEnvironment(bed.database, 'prod');
    const first = await open('prod');
    await first.database.close();
    const INSTALLATION_KEY = randomBytes(32).toString('base64');
    const rejected = open('prod', { INSTALLATION_KEY });
    await expect(rejected).rejects.toThrow(/^INSTALLATION_KEY is not that of this database/);
    await expect(rejected).rejects.toThrow(ConfigError);
    const again = await open('prod');
    await again.database.close();
  });

  describe('with another key', () => {
    const OTHER = { KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64') };
    const openWith = (settings: object) => open('prod', settings);

    beforeEach(async () => {
      await recordEnvironment(bed.database, 'prod');
      await bed.database.query({ text: 'update service_environment set four_eyes = false' });
    });

    it('does not open a database whose secrets that key does not open', async () => {
      const partner = await aPartner(bed, { env: 'prod' });
      await expect(openWith(OTHER)).rejects.toThrow(/^KEY_ENCRYPTION_KEY opens none of/);
      await expect(openWith(OTHER)).rejects.toThrow(ConfigError);
      const right = KEY_ENCRYPTION_KEY.toString('base64');
      const both = await openWith({ ...OTHER, KEY_ENCRYPTION_KEY_SECOND: right });
      await both.database.close();
      await revokeKey(bed.database, partner.key_id, ANN, { yes: true });
      const without = await openWith(OTHER);
      await without.database.close();
    });

    it('opens a database in which one secret is damaged', async () => {
      const { key_id: keyId } = await aPartner(bed, { env: 'prod' });
      await aPartner(bed, { env: 'prod' });
      await bed.database.query({
        text: `update signing_keys set secret_sealed = '' where key_id = $1`,
        values: [keyId],
      });
      const opened = await openWith({});
      await expect(opened.database.query(ping)).resolves.toBeDefined();
      await opened.database.close();
    });

    it('goes on when another key has replaced its own since it began', async () => {
      await aPartner(bed, { env: 'prod' });
      const opened = await openWith({});
      const seal = createSecretSeal(randomBytes(32), [KEY_ENCRYPTION_KEY]);
      await resealSecrets({
        database: bed.database,
        seal,
        operator: ANN,
        onProgress: () => undefined,
      });
      const both = Promise.all([opened.database.query(ping), opened.database.query(ping)]);
      await expect(both).resolves.toHaveLength(2);
      await opened.database.close();
    });
  });
});
