// `payctl sign`: how engineers of a partner, and operators, check a rejected signature. It needs no
// database and sends nothing. The secret comes from the environment or a pipe, and is never
// printed.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readVectors, requestNamed } from '../../signing/vectors';
import { expectRejected, runPayctl, textOf } from '../../support/programs/payctl';
import { withFolder } from '../../support/brackets';

const create = requestNamed('create');
const AT = ['--timestamp', create.timestamp, '--nonce', create.nonce];
const SIGN_CREATE = ['sign', 'POST', create.path, '--body', create.body, ...AT];

interface Secret {
  readonly environment?: string;
  readonly piped?: string;
}

function payctl(args: readonly string[], secret: Secret = { environment: create.secret }) {
  const { environment, piped = '' } = secret;
  return environment === undefined
    ? runPayctl({ url: 'unused' }, { args, input: piped })
    : runPayctl({ url: 'unused' }, args, { SIGNING_SECRET: environment });
}

const folder = withFolder();
const json = async (args: readonly string[], secret?: Secret) => {
  const { stdout } = await payctl([...args, '--json'], secret);
  return JSON.parse(stdout) as Record<string, unknown>;
};

describe('payctl sign', () => {
  it('prints the headers of a request, and nothing else', async () => {
    const ran = await payctl([...SIGN_CREATE, '--key-id', 'acme_sandbox_2025q1']);
    expect(ran).toEqual({
      code: 0,
      stderr: '',
      stdout: [
        'X-Service-Key-Id: acme_sandbox_2025q1',
        `X-Service-Timestamp: ${create.timestamp}`,
        `X-Service-Nonce: ${create.nonce}`,
        `X-Service-Signature: ${create.signature}`,
        '',
      ].join('\n'),
    });
  });

  it('explains every component to programs, without the secret', async () => {
    const explained = await json([...SIGN_CREATE, '--explain']);
    expect(explained).toMatchObject({
      canonical_request: create.canonical,
      canonical_bytes: Buffer.byteLength(create.canonical),
      headers: { 'X-Service-Signature': create.signature },
      problems: [expect.stringMatching(/^The timestamp is \d+ s behind this clock/)],
      comparison: null,
    });
    expect(explained['components']).toHaveLength(5);
    expect(JSON.stringify(explained)).not.toContain(create.secret);
  });

  it('explains every component to people, without the secret', async () => {
    const { stdout } = await payctl([...SIGN_CREATE, '--explain']);
    expect(stdout).toMatch(/nonce +0001020304/);
    expect(stdout).toMatch(/body digest +506e5f7c/);
    expect(stdout).toContain(JSON.stringify(create.canonical));
    expect(stdout).toContain('still answered with 401');
    expect(stdout).toContain('The key id was left out: give --key-id or KEY_ID.');
    expect(stdout).not.toContain(create.secret);
  });

  it('takes the key id from KEY_ID, unless --key-id is given', async () => {
    const settings = { SIGNING_SECRET: create.secret, KEY_ID: 'acme_sandbox_2025q1' };
    const sign = (...args: readonly string[]) =>
      runPayctl({ url: 'unused' }, [...SIGN_CREATE, '--explain', ...args], settings);
    const named = textOf(await sign());
    expect(named).toContain('X-Service-Key-Id: acme_sandbox_2025q1');
    expect(named).not.toMatch(/left out|is missing/);
    expect(textOf(await sign('--key-id', 'b'))).toContain('X-Service-Key-Id: b\n');
  });

  it('finds a signature of the full URL by BASE_URL, if only the path is given', async () => {
    const settings = { SIGNING_SECRET: create.secret, BASE_URL: 'https://sandbox.example' };
    const wrong = readVectors().not_equal.find(({ name }) => name.startsWith('address-in-place'));
    const args = [...SIGN_CREATE, '--signature', wrong?.signature ?? ''];
    const ran = await runPayctl({ url: 'unused' }, args, settings);
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('mistake is in the path')]);
  });

  it('uses a random nonce and the current time if none are given', async () => {
    const { headers } = (await json(['sign', 'GET', '/v1/payment_intents/pi_1'])) as {
      headers: Record<string, string>;
    };
    expect(headers['X-Service-Nonce']).toMatch(/^[0-9a-f]{64}$/);
    expect(headers['X-Service-Timestamp']).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(headers).not.toHaveProperty('X-Service-Key-Id');
  });

  it('reads the secret from a pipe, without the final line break', async () => {
    const signed = await json(SIGN_CREATE, { piped: `${create.secret}\n` });
    expect(signed).toMatchObject({ headers: { 'X-Service-Signature': create.signature } });
  });

  it('signs the exact bytes of a file', async () => {
    const file = join(folder, 'body.json');
    writeFileSync(file, `${create.body}\n`);
    const sign = ['sign', 'POST', create.path, '--body-file', file, ...AT];
    const ran = await payctl([...sign, '--signature', create.signature]);
    const tooLong = join(folder, 'long');
    writeFileSync(tooLong, Buffer.alloc(65_537));
    const rejected = await payctl(['sign', 'POST', create.path, '--body-file', tooLong]);
    expect([ran.code, ran.stderr]).toEqual([
      1,
      'payctl: The given signature differs: the mistake is in the body digest.\n',
    ]);
    expect([rejected.code, rejected.stderr]).toEqual([
      1,
      expect.stringContaining('is over 65536 bytes'),
    ]);
  });
});

describe('payctl sign --signature', () => {
  it('exits 0 if the signature is right', async () => {
    expect(textOf(await payctl([...SIGN_CREATE, '--signature', create.signature]))).toContain(
      'It is equal.',
    );
  });

  it('names the component that is likely to differ, and exits 1', async () => {
    const mistake = readVectors().not_equal.find(({ name }) => name === 'digest-in-capitals');
    const args = [...SIGN_CREATE, '--signature', mistake?.signature ?? '', '--json'];
    const ran = await payctl(args);
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([
      1,
      { comparison: { is_equal: false, likely_mistakes: [{ component: 'body digest' }] } },
    ]);
  });

  it('finds a line break in the secret', async () => {
    const ran = await payctl([...SIGN_CREATE, '--signature', create.signature], {
      environment: `${create.secret}\n`,
    });
    expect(ran.stdout).toContain('The signing secret begins or ends with white space.');
    expect(ran.stderr).toContain('the mistake is in the secret.');
  });

  it('says so if no known mistake explains the signature', async () => {
    const ran = await payctl([...SIGN_CREATE, '--signature', 'another']);
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('no known mistake')]);
  });
});

describe('payctl sign rejects', () => {
  const SIGN_GET = ['sign', 'GET', '/v1/payment_intents/pi_1'];
  it.each([
    ['an empty secret', SIGN_GET, 1, 'There is no signing secret'],
    ['a file that is not there', [...SIGN_GET, '--body-file', '/nowhere'], 1, 'cannot be read'],
    [
      'a signature without its timestamp and nonce',
      [...SIGN_GET, '--signature', 'x'],
      1,
      'give both',
    ],
    ['two bodies', [...SIGN_GET, '--body', 'x', '--body-file', 'y'], 2, 'cannot be used with'],
    ['a secret as an argument', [...SIGN_GET, '--secret', 'x'], 2, 'unknown option'],
  ])('%s', async (_, args, code, sentence) => {
    expectRejected(await payctl(args, { environment: '' }), code, sentence);
  });

  it('a piped input that is too long for a secret', async () => {
    const ran = await payctl(SIGN_GET, { piped: 'x'.repeat(5_000) });
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('over 4096 bytes')]);
  });
});
