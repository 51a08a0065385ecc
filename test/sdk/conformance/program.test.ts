// The program of the conformance command: its exit codes, its usage, and what it prints.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processEnvironment } from '../../../src/config/config';
import { RUN_TYPESCRIPT } from '../../../src/dev/tools';
import { explainSignature } from '../../../src/sdk';
import { runProgram } from '../../guide/run-program';
import { ROOT } from '../../support/programs/fixture-project';
import { answers, startReceiver, type Receiver } from '../../support/webhooks/webhook-receiver';

const SECRET = `whsec_${Buffer.from('the webhook secret of this test').toString('base64')}`;
const PROGRAM = ['node', ...RUN_TYPESCRIPT, 'src/sdk/conformance/conformance.ts'];
const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver(answers(200));
});
afterAll(() => {
  receiver.close();
  rmSync(folder, { recursive: true, force: true });
});

const conformance = (args: readonly string[], settings: Readonly<Record<string, string>> = {}) =>
  runProgram([...PROGRAM, ...args], {
    cwd: ROOT,
    env: { PATH: processEnvironment()['PATH'], ...settings },
  });

it('exits 1 with a sentence for each failure', async () => {
  const ran = await conformance(['--receiver', receiver.url], { WEBHOOK_SECRET: SECRET });
  expect(ran).toMatchObject({ code: 1, stderr: '' });
  expect(ran.stdout).toContain('Webhook receiver\n  ok       It accepts a genuine event.\n');
  expect(ran.stdout).toContain(
    '  FAILED   It rejects another secret.\n           It answered 200. It does not compare the signature. Answer 400, and\n           do nothing.\n',
  );
  expect(ran.stdout).toMatch(/\n6 passed, 8 failed, 0 skipped\.\n$/);
});

it('prints JSON for programs, and takes its settings from a file', async () => {
  const file = join(folder, 'partner.json');
  writeFileSync(file, JSON.stringify({ key_id: 'k', webhook_secret: SECRET }));
  const ran = await conformance(['--receiver', receiver.url, '--key', file, '--json']);
  expect(ran.code).toBe(1);
  expect(JSON.parse(ran.stdout)).toMatchObject({
    ...{
      passed: 6,
      failed: 8,
      skipped: 0,
      notes: [expect.stringContaining('acts once per webhook-id')],
    },
    checks: expect.arrayContaining([
      {
        ...{ subject: 'Webhook receiver', check: 'It rejects another secret.', outcome: 'failed' },
        found: 'It answered 200.',
        advice: 'It does not compare the signature. Answer 400, and do nothing.',
      },
    ]) as unknown,
  });
});

describe('explain-signature', () => {
  const request = { method: 'POST', path: '/v1/payment_intents', body: '{}' };
  const made = { timestamp: '2026-06-15T12:34:56Z', nonce: '0'.repeat(64) };
  const settings = { SIGNING_SECRET: 'secret', KEY_ID: 'key' };
  const explained = (signed: string, ...more: readonly string[]) => {
    const { headers } = explainSignature({
      ...{ signingSecret: 'secret', method: request.method, target: signed, ...made },
      body: request.body,
    });
    const signature = headers['X-Service-Signature'] ?? '';
    const ofRequest = ['explain-signature', request.method, request.path, '--body', request.body];
    const ofSignature = ['--timestamp', made.timestamp, '--nonce', made.nonce];
    const args = [...ofRequest, ...ofSignature, '--signature', signature, ...more];
    return conformance(args, settings);
  };

  it('exits 0 if the signature is right', async () => {
    const { code, stdout } = await explained(request.path);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining('is right.') as string,
    });
  });

  it('exits 1 and names the mistake, also as JSON', async () => {
    const ran = await explained('/payment_intents', '--json');
    expect(ran.code).toBe(1);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      comparison: { isEqual: false, likelyMistakes: [{ component: 'path' }] },
    });
    expect(ran.stdout).not.toContain('"secret"');
  });
});

it.each([
  [['explain-signature'], {}, 'SIGNING_SECRET is missing.'],
  [['explain-signature', 'GET'], { SIGNING_SECRET: 's' }, 'The path is missing.'],
  [['explain-token', 'pi_0'], {}, 'SESSION_TOKEN is missing.'],
  [['explain-token', '--for', 'all'], {}, '--for: all is neither confirm nor read.'],
  [[], {}, 'There is nothing to check: give --base-url with --key, or --receiver.'],
  [['--receiver', 'http://127.0.0.1:9'], {}, 'WEBHOOK_SECRET is missing.'],
  [
    ['--receiver', 'localhost'],
    { WEBHOOK_SECRET: SECRET },
    '--receiver: localhost is not a URL. Expected http://… or https://….',
  ],
  [
    ['--receiver', 'http://me:hidden@127.0.0.1:9'],
    { WEBHOOK_SECRET: SECRET },
    '--receiver may hold no credentials. Leave out what is before the @.',
  ],
  [
    ['--base-url', 'https://me:hidden@a b', '--key', 'k'],
    { SIGNING_SECRET: 's' },
    '--base-url may hold no credentials. Leave out what is before the @.',
  ],
  [
    ['--receiver', 'http://127.0.0.1:9'],
    { WEBHOOK_SECRET: 'secret' },
    'WEBHOOK_SECRET is not whsec_ followed by the key in base64.',
  ],
  [['--base-url', 'https://pay.example'], {}, '--key is missing.'],
  [['--base-url', 'https://pay.example', '--key', 'k'], {}, 'SIGNING_SECRET is missing.'],
  [
    ['--base-url', 'https://pay.example', '--key', 'k', '--amount', '0'],
    { SIGNING_SECRET: 's' },
    '--amount: 0 is not an amount. Expected whole cents, from 1.',
  ],
  [
    ['--base-url', 'https://pay.example', '--key', 'k', '--corridor', 'us'],
    { SIGNING_SECRET: 's' },
    '--corridor: us is not a corridor. Expected th_qrpay or vn_qrpay.',
  ],
])('exits 2 for %j with %j, and says why', async (args, settings, sentence) => {
  const ran = await conformance(args, settings);
  expect(ran).toEqual({ code: 2, stdout: '', stderr: `conformance: ${sentence} See --help.\n` });
});
