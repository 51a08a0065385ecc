// A partner's first hour: a fresh folder, the packed SDK installed into it, and the guide's own programs, against a running
// sandbox. The other languages of the guide are run by `npm run test:guide` (decision 118).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processEnvironment } from '../../src/config';
import { createClient } from '../../src/sdk';
import { checkOwnPartner } from '../guide/partner-check';
import { checkFirstPayment, checkShellToken } from '../guide/payment-checks';
import { checkSigning, SIGNING_PROGRAMS } from '../guide/signing-check';
import { missingTools, SHELL_TOOLS } from '../guide/tools';
import { openWorkplace, type Workplace } from '../guide/workplace';
import { npmStart, type NpmStart } from '../support/npm-start';

/** Programs are compiled, packed and installed on the way. */
const PATIENCE_MS = 120_000;
const TEN_MINUTES_MS = 600_000;

describe('a partner with the guide', () => {
  const folder = mkdtempSync(join(tmpdir(), 'partner-'));
  let start: NpmStart;
  let place: Workplace;

  beforeAll(async () => {
    start = await npmStart(join(folder, 'sandbox'));
    place = await openWorkplace(join(folder, 'partner'), start.directory);
  }, 2 * PATIENCE_MS);

  afterAll(async () => {
    await start.interrupt();
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  const expectNoFault = (check: Promise<void>) => expect(check).resolves.toBeUndefined();

  it('has the programs that the shell examples need', async () => {
    await expect(missingTools(processEnvironment(), SHELL_TOOLS)).resolves.toEqual([]);
  });

  it(
    'captures a payment and verifies its webhook with the packed SDK',
    () => expectNoFault(checkFirstPayment(place)),
    PATIENCE_MS,
  );

  it.each(
    SIGNING_PROGRAMS.filter(({ language }) => ['TypeScript', 'shell'].includes(language)).map(
      (program) => [program.language, program] as const,
    ),
  )(
    'signs as the vectors say, and creates an intent, in %s',
    (_, program) => expectNoFault(checkSigning(place, program)),
    PATIENCE_MS,
  );

  it(
    'mints a token in shell that confirms once',
    () => expectNoFault(checkShellToken(place)),
    PATIENCE_MS,
  );

  it(
    'registers a partner of its own, publishes its keys and is told by webhook at its own server',
    () => expectNoFault(checkOwnPartner(place)),
    PATIENCE_MS,
  );

  describe('whose clock is ten minutes late', () => {
    const createWith = (maxAttempts: number) => {
      const { base_url: baseUrl, partners } = start.sandbox();
      const client = createClient({
        baseUrl,
        keyId: partners[0]?.key_id ?? '',
        signingSecret: partners[0]?.signing_secret ?? '',
        now: () => new Date(Date.now() - TEN_MINUTES_MS),
        maxAttempts,
      });
      return client.createIntent({ partnerUserId: 'u', amountUsdCents: 100, corridor: 'th_qrpay' });
    };

    it('is refused, and creates the intent with the time of that refusal', async () => {
      await expect(createWith(1)).rejects.toMatchObject({ status: 401 });
      await expect(createWith(2)).resolves.toMatchObject({ status: 'created' });
    });
  });
});
