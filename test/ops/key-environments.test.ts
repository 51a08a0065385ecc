// "Sandbox signing keys are rejected by production, and production keys are rejected by sandbox" (decision 26).
import { issueKey } from '../../src/ops/signing-keys';
import { createPartner } from '../../src/ops/create-partner';
import { startApp } from '../support/app';
import { openTestBed, type TestBed } from '../support/builders';
import { NOON } from '../support/clock';
import { statusOfSigned } from './payctl';

let bed: TestBed;
beforeAll(async () => {
  bed = await openTestBed();
});
afterAll(() => bed.close());

it.each([
  ['sandbox', 'prod'],
  ['prod', 'sandbox'],
] as const)('a key of %s works there and is rejected by %s', async (env, otherEnv) => {
  const name = `of-${env}`;
  const jwksUrl = `https://${name}.example/.well-known/jwks.json`;
  await createPartner(
    { database: bed.database, seal: bed.seal, now: NOON },
    { name, jwksUrl, allow: ['127.0.0.1'], env },
  );
  const issued = await issueKey(bed, name);
  expect(issued.key_id).toBe(`${name}_${env}_2026q2`);
  const apps = await Promise.all(
    [env, otherEnv].map((environment) => startApp(bed, { environment })),
  );
  const statuses = apps.map((app) => statusOfSigned(app, bed, issued));
  expect(await Promise.all(statuses)).toEqual([404, 401]);
  await Promise.all(apps.map((app) => app.close()));
});
