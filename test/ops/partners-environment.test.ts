// `payctl partners create` on a database that says whose it is (decision 128).
import { recordEnvironment } from '../../src/postgres/service-environment';
import { countOf, openTestBed, type TestBed } from '../support/builders';
import { runPayctl } from './payctl';

let bed: TestBed;
beforeAll(async () => {
  bed = await openTestBed();
  await recordEnvironment(bed.database, 'prod');
});
afterAll(() => bed.close());

const create = (name: string, ...more: readonly string[]) =>
  runPayctl(bed, [
    ...['partners', 'create', '--name', name, '--allow', '203.0.113.7'],
    ...['--jwks-url', `https://${name}.example/.well-known/jwks.json`, ...more],
  ]);

it('refuses a partner of another environment with one sentence, and changes nothing', async () => {
  const ran = await create('acme');
  expect([ran.code, ran.stdout, ran.stderr]).toEqual([
    1,
    '',
    'payctl: This is the database of prod, and --env is sandbox. Say --env prod, or set DATABASE_URL to the database of sandbox. Nothing was changed.\n',
  ]);
  expect(await countOf(bed, 'select count(*) from partners')).toBe(0);
});

it('takes one of its own', async () => {
  const ran = await create('acme', '--env', 'prod', '--json');
  expect([ran.code, ran.stderr]).toEqual([0, '']);
  expect(JSON.parse(ran.stdout)).toMatchObject({ partner_id: 'acme' });
});
