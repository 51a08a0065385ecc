// A partner's first hour with a running sandbox: the page of `sandbox:try`, then a fresh folder
// with the packed SDK and the guide's programs. `npm run test:guide` runs the programs in all
// languages (decision 118).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processEnvironment } from '../../src/config';
import { createClient } from '../../src/sdk';
import { checkConformance } from '../guide/conformance-check';
import { checkOwnPartner } from '../guide/partner-check';
import { checkFirstPayment, checkInbox, checkToken } from '../guide/payment-checks';
import { checkSigning, SIGNING_PROGRAMS } from '../guide/signing-check';
import { missingTools, SHELL_TOOLS } from '../guide/tools';
import { openWorkplace, programOf, type Workplace } from '../guide/workplace';
import { npmStart, type NpmStart } from '../support/programs/npm-start';
import { openPage, sandboxTry, type SandboxTry } from '../support/payments/sandbox-try';

/** Includes compiling, packing and installing programs. */
const STEP_TIMEOUT_MS = 120_000;
const TEN_MINUTES_MS = 600_000;

const folder = mkdtempSync(join(tmpdir(), 'partner-'));
let start: NpmStart;

beforeAll(async () => {
  start = await npmStart(join(folder, 'sandbox'));
}, STEP_TIMEOUT_MS);

afterAll(async () => {
  await start.interrupt();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

describe('a user of the page of sandbox:try', () => {
  let page: SandboxTry;

  beforeAll(async () => {
    page = await sandboxTry(start.directory);
  }, STEP_TIMEOUT_MS);
  afterAll(() => page.interrupt());

  const post = (path: string, form: Readonly<Record<string, string>> = {}) =>
    fetch(page.address() + path, {
      method: 'POST',
      body: new URLSearchParams(form),
      redirect: 'manual',
    });
  /** @returns the path of the page that watches it */
  const create = async (form: Readonly<Record<string, string>>) => {
    const created = await post('/payments', {
      partner: 'siam-travel',
      corridor: 'th_qrpay',
      ...form,
    });
    expect(created.status).toBe(303);
    return created.headers.get('location') ?? '';
  };

  it('chooses among the amounts of the sandbox, the corridors and the partners', async () => {
    const text = await (await openPage(page.address())).readTo('</html>');
    for (const choice of ['40001', '40009', 'th_qrpay', 'vn_qrpay', 'saigon-rides']) {
      expect(text).toContain(`value="${choice}"`);
    }
  });

  it('sees the code, opens the checkout, confirms without it, and watches the webhook arrive', async () => {
    const path = await create({ amount: 'typed', dollars: '12.5' });
    const watched = await openPage(page.address() + path);
    const before = await watched.readTo('is-created');
    const { checkout_url: checkoutUrl } = start.sandbox();
    expect(before).toContain('12.50 USD to Thailand');
    expect(before).toContain('src="/codes/th_qrpay.png"');
    expect(before).toMatch(
      new RegExp(
        `href="${checkoutUrl}/flow/pi_\\w+/scan#token=ey[\\w.-]+&#38;return_scheme=siam-travel"`,
      ),
    );
    const confirmed = await post(`${path}/confirm`);
    expect(confirmed.headers.get('location')).toBe(path);
    const whole = await watched.readTo('</html>');
    expect(whole).toMatch(/is-captured[^]*is-webhook[^]*payment_intent\.captured, received/);
    const again = await (await openPage(page.address() + path)).readTo('</html>');
    expect(again).toMatch(/is-created[^]*is-captured[^]*is-webhook/);
    expect(again).not.toContain('#token=');
  });

  it('cancels as the partner, and sees that a cancelled payment cannot be confirmed', async () => {
    const path = await create({ amount: '40004', corridor: 'vn_qrpay' });
    await post(`${path}/cancel`);
    const rejected = await post(`${path}/confirm`);
    const location = rejected.headers.get('location') ?? '';
    expect(location).toBe(`${path}?refused=409`);
    const text = await (await openPage(page.address() + location)).readTo('</html>');
    expect(text).toContain('Rejected with 409');
    expect(text).toMatch(/is-cancelled[^]*No webhook is sent when an intent is cancelled/);
  });

  it('never gets a secret of the partner', async () => {
    const path = await create({ amount: '40001' });
    const text =
      (await (await openPage(page.address())).readTo('</html>')) +
      (await (await openPage(page.address() + path)).readTo('is-created'));
    const [partner] = start.sandbox().partners;
    const secrets = [
      partner?.signing_secret ?? '',
      partner?.webhook_secret ?? '',
      partner?.session_private_key_pem.split('\n')[1] ?? '',
    ];
    expect(secrets.filter((secret) => secret === '' || text.includes(secret))).toEqual([]);
  });

  it('gets 404 for unknown pages and payments', async () => {
    const at = [
      '/other',
      '/payments/siam-travel/pi_00000000000000000000000000',
      '/payments/x/pi_1',
    ];
    const statuses = at.map(async (path) => (await fetch(page.address() + path)).status);
    await expect(Promise.all(statuses)).resolves.toEqual([404, 404, 404]);
  });
});

describe('a partner with the guide', () => {
  let place: Workplace;

  beforeAll(async () => {
    place = await openWorkplace(join(folder, 'partner'), start.directory);
  }, STEP_TIMEOUT_MS);

  const expectNoFault = (check: Promise<void>) => expect(check).resolves.toBeUndefined();

  it('has the programs that the shell examples need', async () => {
    await expect(missingTools(processEnvironment(), SHELL_TOOLS)).resolves.toEqual([]);
  });

  it(
    'captures a payment and verifies its webhook with the packed SDK',
    () => expectNoFault(checkFirstPayment(place)),
    STEP_TIMEOUT_MS,
  );

  it.each(
    SIGNING_PROGRAMS.filter(({ language }) => ['TypeScript', 'shell'].includes(language)).map(
      (program) => [program.language, program] as const,
    ),
  )(
    'signs as the vectors say, and creates an intent, in %s',
    (_, program) => expectNoFault(checkSigning(place, program)),
    STEP_TIMEOUT_MS,
  );

  it(
    'mints a token in shell that confirms once',
    () => expectNoFault(checkToken(place, programOf('mint-token.sh'))),
    STEP_TIMEOUT_MS,
  );

  it(
    'verifies a webhook of the inbox in shell',
    () => expectNoFault(checkInbox(place)),
    STEP_TIMEOUT_MS,
  );

  it(
    'passes every check of the conformance command, and learns of a wrong secret',
    () => expectNoFault(checkConformance(place)),
    STEP_TIMEOUT_MS,
  );

  it(
    'registers its own partner, publishes its keys and gets the webhook at its own server',
    () => expectNoFault(checkOwnPartner(place)),
    STEP_TIMEOUT_MS,
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

    it('is rejected, and then creates the intent with the time of that rejection', async () => {
      await expect(createWith(1)).rejects.toMatchObject({ status: 401 });
      await expect(createWith(2)).resolves.toMatchObject({ status: 'created' });
    });
  });
});
