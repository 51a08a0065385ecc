// Runs payctl on the test's database, in this process or in its own, and tries a printed signing
// key.
import { payctl } from '../../../src/ops/payctl';
import type { TestApp } from '../app';
import { KEY_ENCRYPTION_KEY, recogniseErrorsOfNode, type TestBed } from '../builders';
import { sign } from '../payments/partner';
import { NOTHING_ELSE, runToEnd, type ProgramSettings, type ProgramResult } from './run-to-end';

export type { ProgramResult };

/** The bundle, if the global setup has made one. */
export const PAYCTL = process.env['TEST_PAYCTL'] ?? 'src/ops/payctl.ts';

recogniseErrorsOfNode();

/**
 * Commands run one after another, because each replaces the environment and output of this process.
 */
let before: Promise<unknown> = Promise.resolve();

type Given = Parameters<typeof runToEnd>[1];

/**
 * Runs the command in this process, because a new one takes a second to start. A command that reads
 * standard input gets its own process.
 * @param given the arguments, and standard input if the command reads it
 */
export function runPayctl(
  bed: Pick<TestBed, 'url'>,
  given: Given,
  environment: ProgramSettings = {},
): Promise<ProgramResult> {
  const { args, input } = 'args' in given ? given : { args: given, input: undefined };
  if (input !== undefined) return spawnPayctl(bed, given, environment);
  const ran = before.then(() => runHere(args, settingsFor(bed, environment)));
  before = ran;
  return ran;
}

/** Runs the command as operators do, in its own process. */
export function spawnPayctl(
  bed: Pick<TestBed, 'url'>,
  given: Given,
  environment: ProgramSettings = {},
): Promise<ProgramResult> {
  return runToEnd(PAYCTL, given, settingsFor(bed, environment));
}

function settingsFor({ url }: Pick<TestBed, 'url'>, environment: ProgramSettings): ProgramSettings {
  const key = KEY_ENCRYPTION_KEY.toString('base64');
  const nowhere = { TEMPORAL_ADDRESS: '127.0.0.1:1' };
  return { DATABASE_URL: url, KEY_ENCRYPTION_KEY: key, ...nowhere, ...environment };
}

async function runHere(args: readonly string[], settings: ProgramSettings): Promise<ProgramResult> {
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

/** Expects this exit code, nothing on standard output, and this text on standard error. */
export function expectRejected(
  { code, stdout, stderr }: ProgramResult,
  expected: number,
  sentence: string | RegExp,
) {
  expect([code, stdout]).toEqual([expected, '']);
  expect(stderr).toMatch(sentence);
}

/** The expected output of a rejected command: this sentence, and nothing else. */
export function rejection(sentence: string, code = 1): ProgramResult {
  return { code, stdout: '', stderr: `payctl: ${sentence}\n` };
}

/** The standard output of a command that succeeded and printed nothing on standard error. */
export function textOf({ code, stdout, stderr }: ProgramResult): string {
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

/** The same, parsed as JSON. */
export function jsonOf(ran: ProgramResult): unknown {
  return JSON.parse(textOf(ran));
}

export interface SigningCredentials {
  readonly key_id: string;
  readonly signing_secret: string | null;
}

const NO_INTENT = '/v1/payment_intents/pi_00000000000000000000000000';

/** 404 if the key authenticates, because the intent does not exist; otherwise 401. */
export async function statusOfSigned(
  app: TestApp,
  bed: Pick<TestBed, 'clock'>,
  credentials: SigningCredentials,
): Promise<number> {
  const timestamp = bed.clock.now().toISOString();
  const headers = sign(credentials, { method: 'GET', path: NO_INTENT, timestamp });
  return (await app.send({ path: NO_INTENT, headers })).status;
}
