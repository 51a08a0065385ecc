// A partner's first hour with a running sandbox: a fresh folder with the packed SDK and the guide's
// programs. `npm run test:guide` runs the programs in all languages (decision 118).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processEnvironment } from '../../src/config/config';
import { createClient } from '../../src/sdk';
import { checkConformance } from '../guide/conformance-check';
import { checkOwnPartner } from '../guide/partner-check';
import { checkFirstPayment, checkInbox, checkToken } from '../guide/payment-checks';
import { checkSigning, SIGNING_PROGRAMS } from '../guide/signing-check';
import { missingTools, SHELL_TOOLS } from '../guide/tools';
import { openWorkplace, programOf, type Workplace } from '../guide/workplace';
import { npmStart, type NpmStart } from '../support/programs/npm-start';

const TEN_MINUTES_MS = 600_000;

const folder = mkdtempSync(join(tmpdir(), 'partner-'));
let start: NpmStart;

beforeAll(async () => {
  start = await npmStart(join(folder, 'sandbox'));
});

afterAll(async () => {
  await start.interrupt();
  rmSync(folder, { recursive: true, force: true });
});

describe('a partner with the guide', () => {
  let place: Workplace;

  beforeAll(async () => {
    place = await openWorkplace(join(folder, 'partner'), start.directory);
  });

  const expectNoFault = (check: Promise<void>) => expect(check).resolves.toBeUndefined();

  it('has the programs that the shell examples need', async () => {
    await expect(missingTools(processEnvironment(), SHELL_TOOLS)).resolves.toEqual([]);
  });

  it('captures a payment and verifies its webhook with the packed SDK', () =>
    expectNoFault(checkFirstPayment(place)));

  it.each(
    SIGNING_PROGRAMS.filter(({ language }) => ['TypeScript', 'shell'].includes(language)).map(
      (program) => [program.language, program] as const,
    ),
  )('signs as the vectors say, and creates an intent, in %s', (_, program) =>
    expectNoFault(checkSigning(place, program)),
  );

  it('mints a token in shell that confirms once', () =>
    expectNoFault(checkToken(place, programOf('mint-token.sh'))));

  it('verifies a webhook of the inbox in shell', () => expectNoFault(checkInbox(place)));

  it('passes every check of the conformance command, and learns of a wrong secret', () =>
    expectNoFault(checkConformance(place)));

  it('registers its own partner, publishes its keys and gets the webhook at its own server', () =>
    expectNoFault(checkOwnPartner(place)));

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

    it('is rejected, and then creates the intent with the time of that rejection', async () => {
      await expect(createWith(1)).rejects.toMatchObject({ status: 401 });
      await expect(createWith(2)).resolves.toMatchObject({ status: 'created' });
    });
  });
});
