// payctl as operations run it, a process of its own on the test's database; and what a printed key is good for.
import type { TestApp } from '../support/app';
import { KEY_ENCRYPTION_KEY, type TestBed } from '../support/builders';
import { sign } from '../support/partner';
import { runToEnd, type Ran } from '../support/run-to-end';

export type { Ran };

export function runPayctl(
  bed: Pick<TestBed, 'url'>,
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<Ran> {
  return runToEnd('src/ops/payctl.ts', args, {
    DATABASE_URL: bed.url,
    KEY_ENCRYPTION_KEY: KEY_ENCRYPTION_KEY.toString('base64'),
    ...environment,
  });
}

export interface SigningCredentials {
  readonly key_id: string;
  readonly signing_secret: string;
}

const NO_INTENT = '/v1/payment_intents/pi_00000000000000000000000000';

/** 404 when the key authenticates, since the intent does not exist, and 401 when it does not. */
export async function statusOfSigned(
  app: TestApp,
  bed: Pick<TestBed, 'clock'>,
  credentials: SigningCredentials,
): Promise<number> {
  const timestamp = bed.clock.now().toISOString();
  const headers = sign(credentials, { method: 'GET', path: NO_INTENT, timestamp });
  return (await app.send({ path: NO_INTENT, headers })).status;
}
