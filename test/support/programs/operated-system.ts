// `npm start` for the tests of one file, with `payctl` and a payer of the first partner.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Intent } from '../../../src/sdk';
import { createSandboxPayer } from '../payments/sandbox-payer';
import { npmStart, type NpmStart } from './npm-start';
import { PAYCTL } from './payctl';
import { runToEnd, type ProgramSettings } from './run-to-end';

export function withOperatedSystem(name: string) {
  const directory = mkdtempSync(join(tmpdir(), `${name}-`));
  let start: NpmStart;
  beforeAll(async () => {
    start = await npmStart(directory);
  });
  afterAll(async () => {
    await start.interrupt();
    rmSync(directory, { recursive: true, force: true });
  });
  const partner = () => {
    const [first] = start.sandbox().partners;
    if (first === undefined) throw new Error('two partners are onboarded');
    return first;
  };
  const payer = () => createSandboxPayer(start.sandbox(), partner());
  return {
    ...{ directory, partner, payer },
    sandbox: () => start.sandbox(),
    payctl: (args: readonly string[], settings: ProgramSettings = {}) =>
      runToEnd(PAYCTL, args, { LOCAL_DIR: directory, ...settings }),
    /** A payment that is confirmed, and need not be paid yet. */
    async confirmed(amountUsdCents: number): Promise<Intent> {
      const { create, mint, confirm } = payer();
      const intent = await create(amountUsdCents);
      await confirm(intent, await mint(intent), { Prefer: 'respond-async' });
      return intent;
    },
  };
}
