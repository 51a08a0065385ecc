// Checks the guide's payments: with the SDK from create to a verified webhook, and in shell from a
// minted token to captured.
import { until } from '../../src/dev/until';
import { pythonWithPackages } from './python-packages';
import type { ProgramRun } from './run-program';
import {
  compile,
  demand,
  programOf,
  type Program,
  type Settings,
  type Workplace,
} from './workplace';

export const PAYMENT_PROGRAMS = ['settings.sh', 'first-payment.mts', 'confirm.sh', 'inbox.sh'];

export const MINTING_PROGRAMS: readonly Program[] = [
  'mint_token.py',
  'mint_token.go',
  'MintToken.java',
  'mint-token.sh',
].map(programOf);

const WEBHOOK_WITHIN_MS = 20_000;
const INTENT_ID = /pi_[0-9a-z]{26}/;

/**
 * Captures a payment and verifies its webhook with the guide's first program and the packed SDK.
 */
export async function checkFirstPayment(place: Workplace): Promise<void> {
  const file = 'first-payment.mts';
  demandFirstPayment(await place.run(programOf(file).asPrinted), file);
  await demandStop(place, programOf(file).asPrinted);
}

/**
 * A confirm is rejected with 401 if its token names a key that is not published.
 * @throws Error unless the program stops at it, and prints its request id
 */
export async function demandStop(
  place: Workplace,
  command: readonly string[],
  settings: Settings = {},
): Promise<void> {
  const rejected = await place.run(command, { settings: { ...settings, SESSION_KID: 'unknown' } });
  const { code, stdout, stderr } = rejected;
  const isStopped = code !== 0 && !/^(created|evt_)/m.test(stdout);
  const isNamed = /401 req_[0-9a-f]{24}/.test(stdout + stderr);
  demand(isStopped && isNamed, `${command.at(-1) ?? ''} goes on after a failed confirm`, rejected);
}

/** @throws Error unless the program printed a checkout URL, `captured` and a verified webhook */
export function demandFirstPayment(ran: ProgramRun, file: string): void {
  const [address = '', confirmed = '', status, event = ''] = ran.stdout.trim().split('\n');
  const isWhole =
    ran.code === 0 &&
    /^http:\/\/127\.0\.0\.1:\d+\/flow\/pi_\w+\/scan#token=ey[\w.-]+&return_scheme=siam-travel$/.test(
      address,
    ) &&
    /^200 req_[0-9a-f]{24}$/.test(confirmed) &&
    status === 'captured' &&
    /^evt_\w+ payment_intent\.captured captured$/.test(event);
  demand(isWhole, `${file} did not print a verified webhook`, ran);
}

/** Checks that the program's token confirms, and only once. */
export async function checkToken(place: Workplace, program: Program): Promise<void> {
  await compile(place, program);
  const isPython = program.language === 'Python';
  const compiled = isPython ? [pythonWithPackages(), program.file] : program.compiled;
  const intentId = await payBy(place, { ...program, compiled });
  demand(INTENT_ID.test(intentId), 'no intent was captured', {
    code: 0,
    stdout: intentId,
    stderr: '',
  });
}

/** Checks that the guide's program verifies a webhook as the sandbox has sent it. */
export async function checkInbox(place: Workplace): Promise<void> {
  const intentId = await payInShell(place);
  let ran: ProgramRun = { code: null, stdout: '', stderr: '' };
  // The webhook follows the answer to the confirm.
  const isVerified = async () => {
    ran = await place.run(['bash', 'inbox.sh', ...programOf('verify-webhook.sh').compiled]);
    return ran.stdout.includes(intentId);
  };
  const isThere = await until(isVerified, { timeoutMs: WEBHOOK_WITHIN_MS, everyMs: 500 });
  demand(ran.code === 0 && isThere, 'the webhook of the inbox was not verified', ran);
}

/** @returns the intent that was captured */
export function payInShell(place: Workplace, settings: Settings = {}): Promise<string> {
  return payBy(place, programOf('mint-token.sh'), settings);
}

async function payBy(place: Workplace, program: Program, settings: Settings = {}): Promise<string> {
  const run = (...command: readonly string[]) => place.run(command, { settings });
  const created = await run('bash', 'create-intent.sh');
  const [intentId = ''] = INTENT_ID.exec(created.stdout) ?? [];
  demand(intentId !== '', 'create-intent.sh created no intent', created);
  const minted = await run(...program.compiled, intentId, '1250', 'th_qrpay');
  demand(minted.code === 0, `${program.file} failed`, minted);
  const token = minted.stdout.trim();
  const confirmed = await run('bash', 'confirm.sh', intentId, token);
  const isCaptured =
    confirmed.code === 0 &&
    /^X-Request-Id: req_[0-9a-f]{24}/im.test(confirmed.stdout) &&
    confirmed.stdout.includes('"captured"') &&
    confirmed.stdout.trim().endsWith('200');
  demand(isCaptured, `the token of ${program.file} did not confirm`, confirmed);
  const again = await run('bash', 'confirm.sh', intentId, token);
  const isRejected = again.code !== 0 && again.stdout.trim().endsWith('401');
  demand(isRejected, 'a used token was accepted again, or confirm.sh goes on', again);
  return intentId;
}
