// Where payctl works: on DATABASE_URL, or on the sandbox of this clone (architecture, section 7).
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { opsEnvironment, refuseIgnoredSealingKey } from '../../src/ops/environment';
import { Refusal } from '../../src/ops/refusal';
import { KEY_ENCRYPTION_KEY, openTestBed, type TestBed } from '../support/builders';
import { aPartner } from '../support/partner';
import { runPayctl } from './payctl';

const SANDBOX_KEY = KEY_ENCRYPTION_KEY.toString('base64');
const OTHER_KEY = Buffer.alloc(32, 9).toString('base64');

let bed: TestBed;
let folder: string;
beforeAll(async () => {
  bed = await openTestBed();
  folder = mkdtempSync(join(tmpdir(), 'payctl-'));
  writeFileSync(join(folder, 'sandbox.json'), JSON.stringify({ database_url: bed.url }));
  writeFileSync(join(folder, 'secrets.json'), JSON.stringify({ key_encryption_key: SANDBOX_KEY }));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await bed.close();
});

/** The environment of somebody who has set nothing but where the sandbox lies. */
const onSandbox = () => ({ DATABASE_URL: '', KEY_ENCRYPTION_KEY: '', LOCAL_DIR: folder });

it('works on the running sandbox without DATABASE_URL', async () => {
  const { key_id } = await aPartner(bed, { name: 'local' });
  const ran = await runPayctl(bed, ['keys', 'list', 'local', '--json'], onSandbox());
  expect(JSON.parse(ran.stdout)).toEqual([{ key_id, status: 'active', revokes_at: null }]);
});

it('says what to do where there is neither', async () => {
  const nowhere = { ...onSandbox(), LOCAL_DIR: join(folder, 'nowhere') };
  const ran = await runPayctl(bed, ['keys', 'list', 'local'], nowhere);
  expect([ran.code, ran.stdout]).toEqual([1, '']);
  expect(ran.stderr).toMatch(/^payctl: No sandbox is set up here .*npm start.*DATABASE_URL\.\n$/);
});

it('takes the key that seals from the sandbox, and a second one from the environment', () => {
  const given = { ...onSandbox(), KEY_ENCRYPTION_KEY: OTHER_KEY, KEY_ENCRYPTION_KEY_SECOND: 'x' };
  expect(opsEnvironment(given)).toMatchObject({
    KEY_ENCRYPTION_KEY: SANDBOX_KEY,
    KEY_ENCRYPTION_KEY_SECOND: 'x',
  });
});

it('refuses to reseal where the given key would be passed over for the sandbox’s', async () => {
  const ran = await runPayctl(bed, ['keys', 'reseal', '--json'], {
    ...onSandbox(),
    KEY_ENCRYPTION_KEY: OTHER_KEY,
  });
  expect([ran.code, ran.stdout]).toEqual([1, '']);
  expect(ran.stderr).toMatch(/^payctl: The sandbox seals under the key in its secrets\.json/);
});

it('reseals the sandbox under the key it has', () => {
  const same = { ...onSandbox(), KEY_ENCRYPTION_KEY: SANDBOX_KEY };
  for (const environment of [onSandbox(), same]) {
    expect(() => {
      refuseIgnoredSealingKey(environment);
    }).not.toThrow(Refusal);
  }
});
