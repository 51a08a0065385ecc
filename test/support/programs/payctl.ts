// payctl on the test's database, in this process or as one of its own; and what a printed key is good for.
import { payctl } from '../../../src/ops/payctl';
import type { TestApp } from '../app';
import { KEY_ENCRYPTION_KEY, recogniseErrorsOfNode, type TestBed } from '../builders';
import { sign } from '../payments/partner';
import { NOTHING_ELSE, runToEnd, type ProgramSettings, type Ran } from './run-to-end';

export type { Ran };

/** One bundle where the global set-up has made it. */
export const PAYCTL = process.env['TEST_PAYCTL'] ?? 'src/ops/payctl.ts';

recogniseErrorsOfNode();

/** Commands begin in their order, since each has the settings and the output of this process to itself. */
let before: Promise<unknown> = Promise.resolve();

type Given = Parameters<typeof runToEnd>[1];

/**
 * Runs the command in this process, since one of its own takes a second to start. Only what reads standard input gets that.
 * @param given its arguments, and what it reads from standard input where that matters
 */
export function runPayctl(
  bed: Pick<TestBed, 'url'>,
  given: Given,
  environment: ProgramSettings = {},
): Promise<Ran> {
  const { args, input } = 'args' in given ? given : { args: given, input: undefined };
  if (input !== undefined) return spawnPayctl(bed, given, environment);
  const ran = before.then(() => runHere(args, settingsFor(bed, environment)));
  before = ran;
  return ran;
}

/** Runs the command as operations do, in a process of its own. */
export function spawnPayctl(
  bed: Pick<TestBed, 'url'>,
  given: Given,
  environment: ProgramSettings = {},
): Promise<Ran> {
  return runToEnd(PAYCTL, given, settingsFor(bed, environment));
}

function settingsFor({ url }: Pick<TestBed, 'url'>, environment: ProgramSettings): ProgramSettings {
  const key = KEY_ENCRYPTION_KEY.toString('base64');
  return { DATABASE_URL: url, KEY_ENCRYPTION_KEY: key, ...environment };
}

async function runHere(args: readonly string[], settings: ProgramSettings): Promise<Ran> {
  const ran = { stdout: '', stderr: '' };
  const outputs = (['stdout', 'stderr'] as const).map((name) =>
    jest.spyOn(process[name], 'write').mockImplementation((text) => {
      ran[name] += String(text);
      return true;
    }),
  );
  const environment = process.env;
  process.env = { ...NOTHING_ELSE, ...settings };
  try {
    return { code: await payctl(args), ...ran };
  } finally {
    process.env = environment;
    for (const output of outputs) output.mockRestore();
  }
}

/** It exited with this code, printed nothing for programs, and said this to people. */
export function expectRejected(
  { code, stdout, stderr }: Ran,
  expected: number,
  said: string | RegExp,
) {
  expect([code, stdout]).toEqual([expected, '']);
  expect(stderr).toMatch(said);
}

/** What a refused command leaves: this sentence, and no more. */
export function rejection(sentence: string, code = 1): Ran {
  return { code, stdout: '', stderr: `payctl: ${sentence}\n` };
}

/** What a command printed, with nothing on standard error. */
export function textOf({ code, stdout, stderr }: Ran): string {
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

/** The same for programs. */
export function jsonOf(ran: Ran): unknown {
  return JSON.parse(textOf(ran));
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
