// `npm run test:guide` runs every program of the partner guide, in every language, and the tests of
// the Python SDK, against its own packed sandbox (decisions 118 and 142). Exit codes: 0 all
// programs work, 1 one fails or a language is missing.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processEnvironment } from '../../src/config/config';
import { createTerminal } from '../../src/dev/terminal';
import { packedStart, type NpmStart } from '../support/programs/npm-start';
import { checkAmounts } from './amounts-check';
import { checkConformance } from './conformance-check';
import { checkOwnPartner } from './partner-check';
import { checkFirstPayment, checkInbox, checkToken, MINTING_PROGRAMS } from './payment-checks';
import { checkMistakes } from './mistakes-check';
import { checkPay, checkSandbox, checkStop, installPackedSandbox } from './packed-sandbox';
import { checkPythonSdk } from './python-sdk-check';
import { checkLostAnswer, checkSigning, SIGNING_PROGRAMS } from './signing-check';
import { GUIDE_TOOLS, missingTools } from './tools';
import { checkTypes } from './types-check';
import { checkWebhooks, WEBHOOK_PROGRAMS } from './webhook-check';
import { openWorkplace, type Workplace } from './workplace';

const terminal = createTerminal({ output: process.stdout, isColoured: false });

type Check = readonly [label: string, run: (place: Workplace) => Promise<void>];

const CHECKS: readonly Check[] = [
  ['TypeScript: types', checkTypes],
  ['TypeScript: a first payment', checkFirstPayment],
  ['Python: the SDK', checkPythonSdk],
  ...SIGNING_PROGRAMS.map((program): Check => {
    return [`${program.language}: signatures`, (place) => checkSigning(place, program)];
  }),
  ['Go: a lost answer', checkLostAnswer],
  ...MINTING_PROGRAMS.map((program): Check => {
    return [`${program.language}: a token`, (place) => checkToken(place, program)];
  }),
  ['webhook of the inbox', checkInbox],
  ['amounts', checkAmounts],
  ['ten mistakes', checkMistakes],
  ['conformance', checkConformance],
  ['a partner of its own', (place) => checkOwnPartner(place, 'expires soon')],
  ...WEBHOOK_PROGRAMS.map((program): Check => {
    return [`${program.language}: webhooks`, (place) => checkWebhooks(place, program)];
  }),
];

async function main(): Promise<boolean> {
  const missing = await missingTools(processEnvironment(), GUIDE_TOOLS);
  for (const sentence of missing) terminal.complain(sentence);
  if (missing.length > 0) return false;
  const folder = mkdtempSync(join(tmpdir(), 'guide-'));
  const sandbox = join(folder, 'sandbox');
  const install = () => installPackedSandbox(sandbox);
  await terminal.step('the packed sandbox in an empty folder', install);
  const start = await terminal.step('its start', () =>
    packedStart(sandbox, { INTENT_TTL_SECONDS: '60' }),
  );
  try {
    return await runChecks(folder, start);
  } finally {
    await start.interrupt();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs all checks, so that one run reports every fault. */
async function runChecks(folder: string, start: NpmStart): Promise<boolean> {
  const sandbox = join(folder, 'sandbox');
  const open = () => openWorkplace(join(folder, 'partner'), start.directory, sandbox);
  const place = await terminal.step('the packed SDK in a fresh folder', open);
  const checks: readonly (readonly [string, () => Promise<void>])[] = [
    ['sandbox: payment, pages', () => checkSandbox(start)],
    ['sandbox: pay', () => checkPay(join(folder, 'sandbox'))],
    ...CHECKS.map(([label, run]) => [label, () => run(place)] as const),
    ['sandbox: Ctrl-C', () => checkStop(start)],
  ];
  let isGood = true;
  for (const [label, run] of checks) {
    try {
      await terminal.step(label, run);
    } catch (error) {
      isGood = false;
      terminal.complain(`${label}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return isGood;
}

main().then(
  (isGood) => {
    process.exitCode = isGood ? 0 : 1;
  },
  (error: unknown) => {
    terminal.complain(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  },
);
