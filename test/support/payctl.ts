// payctl as operations run it, a process of its own on the test's database; and what a printed key is good for.
import type { TestApp } from './app';
import { KEY_ENCRYPTION_KEY, type TestBed } from './builders';
import { sign } from './partner';
import { runToEnd, type Ran } from './run-to-end';

export type { Ran };

/** One bundle where the global set-up has made it. */
export const PAYCTL = process.env['TEST_PAYCTL'] ?? 'src/ops/payctl.ts';

/** @param given its arguments, and what it reads from standard input where that matters */
export function runPayctl(
  bed: Pick<TestBed, 'url'>,
  given: Parameters<typeof runToEnd>[1],
  environment: Record<string, string> = {},
): Promise<Ran> {
  return runToEnd(PAYCTL, given, {
    DATABASE_URL: bed.url,
    KEY_ENCRYPTION_KEY: KEY_ENCRYPTION_KEY.toString('base64'),
    ...environment,
  });
}

/** It exited with this code, printed nothing for programs, and said this to people. */
export function expectRefused(
  { code, stdout, stderr }: Ran,
  expected: number,
  said: string | RegExp,
) {
  expect([code, stdout]).toEqual([expected, '']);
  expect(stderr).toMatch(said);
}

/** What a command printed for programs, with nothing to say to people. */
export function jsonOf({ code, stdout, stderr }: Ran): unknown {
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
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
