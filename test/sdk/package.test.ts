// The SDK package: packed, installed in a new folder, and used from both module systems with types
// (decision 117).
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { withFolder } from '../support/brackets';
import { ROOT, runScript, TOOL_TIMEOUT_MS } from '../support/programs/fixture-project';
import { installPackedSdk, run, SDK_NAME, type InstalledSdk } from '../support/programs/packed-sdk';
import { brokenLinksIn, linksIn } from '../support/docs/package-links';
import { readTokenVectors, readVectors } from '../signing/vectors';

const folder = withFolder();
let sdk: InstalledSdk;

beforeAll(() => {
  sdk = installPackedSdk(folder);
}, TOOL_TIMEOUT_MS);

const installed = (...path: readonly string[]) =>
  join(sdk.project, 'node_modules', SDK_NAME, ...path);
const manifest = () => JSON.parse(readFileSync(installed('package.json'), 'utf8')) as object;

function runInProject(name: string, text: string): string {
  writeFileSync(join(sdk.project, name), text);
  return run(process.execPath, [name], sdk.project);
}

describe('the package', () => {
  it('contains only the code, its types, a program, pages and a manifest', () => {
    expect(readdirSync(installed()).sort()).toEqual([
      'README.md',
      'conformance',
      'docs',
      'edge.d.mts',
      'edge.d.ts',
      'edge.js',
      'esm',
      'index.d.mts',
      'index.d.ts',
      'index.js',
      'package.json',
    ]);
    expect(readdirSync(installed('esm')).sort()).toEqual(['corridors', 'domain', 'sdk', 'signing']);
  });

  it('has README, guide and protocol, whose links work there', () => {
    expect(readdirSync(installed('docs')).sort()).toEqual(['partner-guide.md', 'protocol.md']);
    expect(linksIn(installed())).toContain('docs/partner-guide.md');
    expect(brokenLinksIn(installed())).toEqual([]);
  });

  it('is the file that the guide names', () => {
    const guide = readFileSync(installed('docs', 'partner-guide.md'), 'utf8');
    expect(guide).toContain(`./${basename(sdk.tarball)} `);
  });

  it('has two dependencies', () => {
    const folders = readdirSync(join(sdk.project, 'node_modules'));
    const visible = folders.filter((name) => !name.startsWith('.')).sort();
    expect(visible).toEqual(['@payment-intents', 'jose', 'jsonc-parser']);
    expect(manifest()).toMatchObject({ dependencies: { jose: expect.any(String) as unknown } });
  });

  it('declares its license, its Node version and restricted access', () => {
    expect(manifest()).toMatchObject({
      name: SDK_NAME,
      license: 'UNLICENSED',
      engines: { node: '>=20.12' },
      publishConfig: { access: 'restricted' },
    });
  });

  it('is small, its pages included', () => {
    expect(statSync(sdk.tarball).size).toBeLessThan(115_000);
  });

  it('contains no code of the service and no path of the build machine', () => {
    const files = readdirSync(installed(), { recursive: true, encoding: 'utf8' });
    const text = files
      .filter((name) => !name.startsWith('docs') && statSync(installed(name)).isFile())
      .map((name) => readFileSync(installed(name), 'utf8'))
      .join('\n');
    expect(text).not.toContain(ROOT);
    expect(text).not.toMatch(/aes-256-gcm|DATABASE_URL|temporal|from '\.\.?\/(domain|signing)/i);
  });
});

/** Uses every function once. It must print the same in both module systems. */
const vector = readVectors().webhooks[0];
const [key] = readTokenVectors().keys;
const USE = `
const key = ${JSON.stringify(key)};
const webhook = ${JSON.stringify(vector)};
const intent = { intentId: 'pi_1', amountUsdCents: 1, corridor: 'th_qrpay' };
const at = new Date(Number(webhook.timestamp) * 1000);
async function use(sdk) {
  const token = await sdk.mintSessionToken({
    issuer: 'https://a.example', kid: key.kid, privateKeyPem: key.private_key_pem, subject: 'u', intent,
    kycAttestation: { verified: true, method: 'document', verifiedAt: at },
    sanctionsAttestation: { clean: true, screenedAt: at },
  });
  const published = await sdk.keySet([{ kid: key.kid, publicKeyPem: key.public_key_pem }]);
  const headers = {
    'webhook-id': webhook.id, 'webhook-timestamp': webhook.timestamp, 'webhook-signature': webhook.signature,
  };
  const event = sdk.verifyWebhook(webhook.body, headers, [webhook.secret], { now: () => at });
  const client = sdk.createClient({
    baseUrl: 'http://127.0.0.1:9', keyId: 'k', signingSecret: 's', maxAttempts: 1,
    fetch: async () => new Response('{"error":"conflict","message":"No."}', { status: 409 }),
  });
  const rejection = await client.cancelIntent('pi_1').catch((error) => error);
  return [
    token.split('.').length, published.keys[0].kid === key.kid, event.type,
    rejection instanceof sdk.ApiError && rejection.code,
    sdk.checkoutUrl({ checkoutUrl: 'https://c.example', intentId: 'pi_1', sessionToken: 't' }),
    Object.keys(sdk).filter((name) => name !== 'default' && name !== 'module.exports').sort().join(' '),
  ].join('\\n');
}
`;

describe('a program of a partner', () => {
  const expected = [
    '3',
    'true',
    'payment_intent.captured',
    'conflict',
    'https://c.example/flow/pi_1/scan#token=t',
    [
      'ApiError ConnectionError PaymentIntentsError WebhookVerificationError canonicalRequest',
      'checkoutUrl createClient explainSignature explainToken generateTestWebhook keySet',
      'mintSessionToken verifyWebhook\n',
    ].join(' '),
  ].join('\n');

  it('imports it as an ES module', () => {
    const text = `import * as sdk from '${SDK_NAME}';\n${USE}\nconsole.log(await use(sdk));\n`;
    expect(runInProject('program.mjs', text)).toBe(expected);
  });

  it('requires it from CommonJS', () => {
    const text = `const sdk = require('${SDK_NAME}');\n${USE}\nuse(sdk).then(console.log);\n`;
    expect(runInProject('program.cjs', text)).toBe(expected);
  });

  it('recognizes an error of the ES module in CommonJS, and the reverse', () => {
    const text = `const sdk = require('${SDK_NAME}');
      const errorOf = (verify) => { try { verify('{}', {}, ['whsec_AAAA']); } catch (error) { return error; } };
      const fits = (error, { WebhookVerificationError, PaymentIntentsError, ApiError }) => [
        error instanceof WebhookVerificationError, error instanceof PaymentIntentsError,
        error instanceof ApiError, new Error() instanceof WebhookVerificationError,
      ].join();
      import('${SDK_NAME}').then((other) => {
        console.log(other.ApiError === sdk.ApiError);
        console.log(fits(errorOf(sdk.verifyWebhook), other));
        console.log(fits(errorOf(other.verifyWebhook), sdk));
      });`;
    const fit = 'true,true,false,false';
    expect(runInProject('both.cjs', text)).toBe(`false\n${fit}\n${fit}\n`);
  });

  it('that extends an error class recognizes only its own', () => {
    const text = `const { ApiError } = require('${SDK_NAME}');
      class Late extends ApiError {}
      const facts = { status: 409, code: 'conflict', message: 'No.', isRepeat: false };
      const [late, other] = [new Late(facts), new ApiError(facts)];
      console.log([late instanceof Late, late instanceof ApiError, other instanceof Late].join());`;
    expect(runInProject('extended.cjs', text)).toBe('true,true,false\n');
  });

  it('cannot import its internal files', () => {
    const load = () => runInProject('reach.cjs', `require('${SDK_NAME}/esm/sdk/index.mjs');`);
    expect(load).toThrow('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });
});

const TYPED = `
import { ApiError, createClient, verifyWebhook, type Corridor, type Intent } from '${SDK_NAME}';
const corridor: Corridor = 'th_qrpay';
const client = createClient({ baseUrl: 'https://a.example', keyId: 'k', signingSecret: 's' });
export const intent: Promise<Intent> = client.createIntent({ partnerUserId: 'u', amountUsdCents: 1, corridor });
export const codeOf = (error: unknown): 'conflict' | undefined =>
  error instanceof ApiError && error.code === 'conflict' ? error.code : undefined;
export const captured = (body: string, headers: Headers): string | undefined => {
  const event = verifyWebhook(body, headers, ['whsec_x']);
  return event.type === 'payment_intent.captured' ? event.data.intentId : undefined;
};
`;
const EDGE = `
import { verifyWebhook, type WebhookEvent } from '${SDK_NAME}/edge';
export const receive = async (request: Request): Promise<WebhookEvent> =>
  verifyWebhook(await request.text(), request.headers, ['whsec_x']);
`;
const WRONG = `
import { createClient } from '${SDK_NAME}';
createClient({ baseUrl: 'https://a.example', keyId: 'k' });
`;

describe('the types', () => {
  function compile(files: Readonly<Record<string, string>>, options: readonly string[]): string {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(sdk.project, name), text);
    const { stdout } = runScript(
      join(ROOT, 'node_modules/typescript/bin/tsc'),
      [...Object.keys(files), '--noEmit', '--strict', '--pretty', 'false', ...options],
      { cwd: sdk.project },
    );
    return stdout;
  }

  it(
    'compile as ES modules and as CommonJS, and reject a missing option',
    () => {
      const files = {
        'typed.mts': TYPED,
        'typed.cts': TYPED,
        'edge.mts': EDGE,
        'edge.cts': EDGE,
        'wrong.mts': WRONG,
      };
      const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules', '@types')];
      const output = compile(files, [
        '--module',
        'nodenext',
        '--target',
        'ES2022',
        '--lib',
        'ES2022',
        ...types,
      ]);
      const mistakes = output.split('\n').filter((line) => line.includes('error TS'));
      expect(mistakes).toEqual([expect.stringMatching(/^wrong\.mts.*TS2345/)]);
      expect(output).toContain("Property 'signingSecret' is missing");
    },
    TOOL_TIMEOUT_MS,
  );

  it(
    'compile for a bundler, and with browser types instead of Node types',
    () => {
      const options = ['--module', 'esnext', '--moduleResolution', 'bundler'];
      const files = { 'typed.ts': TYPED, 'edge.ts': EDGE };
      expect(compile(files, [...options, '--lib', 'ES2022,DOM'])).toBe('');
    },
    TOOL_TIMEOUT_MS,
  );
});
