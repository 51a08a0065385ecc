// The packed SDK in the bundle of a partner: a bundler takes only what is imported (decision 117).
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EdgeVM } from '@edge-runtime/vm';
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
import { build, type BuildOptions, type OutputFile } from 'esbuild';
import { WIRE_INTENT } from './client/stub-service';
import { withFolder } from '../support/brackets';
import { ROOT, TOOL_TIMEOUT_MS } from '../support/programs/fixture-project';
import { readTokenVectors, readVectors, type WebhookVector } from '../signing/vectors';
import { installPackedSdk, run, SDK_NAME, type InstalledSdk } from '../support/programs/packed-sdk';

const WEBHOOK_ONLY_MAX_BYTES = 10_000;

const folder = withFolder();
let sdk: InstalledSdk;

beforeAll(() => {
  sdk = installPackedSdk(folder);
}, TOOL_TIMEOUT_MS);

/** @returns the code of a program, minified with all that it imports, and the files in it */
async function bundle(program: string, options: BuildOptions = {}) {
  const entry = join(sdk.project, 'bundled.mjs');
  writeFileSync(entry, program);
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    absWorkingDir: sdk.project,
    platform: 'node',
    format: 'esm',
    bundle: true,
    minify: true,
    ...options,
    write: false,
    metafile: true,
  });
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs));
  const [{ text, contents }] = outputFiles as [OutputFile];
  return { bytes: contents.length, files: inputs, text };
}

describe('a bundle that imports only verifyWebhook', () => {
  const PROGRAM = `import { verifyWebhook } from '${SDK_NAME}'; globalThis.verify = verifyWebhook;`;

  it('has under 10 000 bytes, and as many as the README says', async () => {
    const { bytes } = await bundle(PROGRAM);
    expect(bytes).toBeLessThan(WEBHOOK_ONLY_MAX_BYTES);
    const readme = readFileSync(join(sdk.project, 'node_modules', SDK_NAME, 'README.md'), 'utf8');
    expect(readme).toContain(`\`verifyWebhook\` alone is ${(bytes / 1_000).toFixed(1)} kB.`);
  });

  it('has no client, no session tokens and no package but the SDK', async () => {
    const { files } = await bundle(PROGRAM);
    const others = files.filter((file) => !file.startsWith(`node_modules/${SDK_NAME}/`));
    expect(others).toEqual(['bundled.mjs']);
    expect(files.filter((file) => /transport|client|token|explain/.test(file))).toEqual([]);
  });

  it('runs', async () => {
    const { text } = await bundle(`${PROGRAM}
      try { verifyWebhook('{}', {}, ['whsec_AAAA']); } catch (error) { console.log(error.reason); }`);
    writeFileSync(join(sdk.project, 'verify.mjs'), text);
    expect(run(process.execPath, ['verify.mjs'], sdk.project)).toBe('missing_header\n');
  });
});

it(
  'publint and "are the types wrong?" find no fault in the package',
  () => {
    const script = join(ROOT, 'test', 'support', 'programs', 'package-faults.mjs');
    const installed = join(sdk.project, 'node_modules', SDK_NAME);
    expect(JSON.parse(run(process.execPath, [script, installed, sdk.tarball], ROOT))).toEqual([]);
  },
  TOOL_TIMEOUT_MS,
);

/** The packed SDK for edge runtimes, and its hashes, in a realm that has Web APIs only. */
describe('in an edge runtime', () => {
  const PROGRAM = `
    import * as sdk from '${SDK_NAME}/edge';
    import * as webCrypto from ${JSON.stringify(join(ROOT, 'src', 'sdk', 'web-crypto.ts'))};
    Object.assign(globalThis, { sdk, webCrypto });`;
  const FOR_THE_WEB: BuildOptions = { platform: 'browser', format: 'iife' };
  const { requests, webhooks } = readVectors();
  const [key = fail('no key')] = readTokenVectors().keys;
  let vm: EdgeVM;

  beforeAll(async () => {
    const { text } = await bundle(PROGRAM, FOR_THE_WEB);
    vm = new EdgeVM({ initialCode: text });
  });

  /** Calls a function of the realm with values from here. */
  function inRealm(code: string, given: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    vm.evaluate(`globalThis.given = ${JSON.stringify(given)}`);
    return Promise.resolve(vm.evaluate<unknown>(`(async () => { ${code} })()`));
  }

  const verified = (vector: WebhookVector, change: Partial<WebhookVector> = {}) =>
    inRealm(
      `const { id, timestamp, signature, body, secret } = given;
       const headers = new Headers({
         'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature,
       });
       const now = () => new Date(Number(timestamp) * 1000);
       return sdk.verifyWebhook(body, headers, [secret], { now })
         .then(({ type }) => type, (error) => error.reason ?? error.message);`,
      { ...vector, ...change },
    );

  it('nothing of Node exists, and the bundle imports nothing of it', async () => {
    const kinds = await inRealm('return [typeof process, typeof Buffer, typeof require].join()');
    expect(kinds).toBe('undefined,undefined,undefined');
    const { text, files } = await bundle(PROGRAM, { ...FOR_THE_WEB, format: 'esm' });
    expect(text.match(/node:\w*|\brequire\(/g)).toBeNull();
    expect(files.filter((file) => /jsonc-parser|explain/.test(file))).toEqual([]);
  });

  it.each(webhooks)(
    'the webhook of the vectors has its published verdict: $name',
    async (vector) => {
      const isEvent = vector.body.includes('"payment_intent.');
      expect(await verified(vector)).toMatch(isEvent ? /^payment_intent\./ : /^unreadable_body$/);
      const two = { signature: `v1,AAAA ${vector.signature}` };
      expect(await verified(vector, two)).toBe(await verified(vector));
    },
  );

  it.each([
    ['another body', { body: '{}' }, 'no_matching_signature'],
    ['a shorter signature', { signature: 'v1,' }, 'no_matching_signature'],
    ['no signature', { signature: '' }, 'missing_header'],
    ['a secret of another form', { secret: 'c2VjcmV0' }, 'A webhook secret is `whsec_`'],
  ])('a webhook with %s is rejected', async (_, change, reason) => {
    const [vector = fail('no vector')] = webhooks;
    expect(await verified(vector, change)).toContain(reason);
  });

  it.each(requests)('the request of the vectors is signed as published: $name', async (vector) => {
    const made = await inRealm(
      `const body = new TextEncoder().encode(given.body);
       const canonical = await sdk.canonicalRequest({ ...given, body });
       return [canonical, await webCrypto.signCanonicalRequest(canonical, given.secret)];`,
      { ...vector },
    );
    expect(made).toEqual([vector.canonical, vector.signature]);
  });

  it('the client sends a signed create and reads its answer', async () => {
    const sent = await inRealm(
      `let sent;
       const fetch = async (url, { headers, body }) => {
         const path = new URL(url).pathname;
         const header = (name) => headers.get('x-service-' + name);
         const [timestamp, nonce] = [header('timestamp'), header('nonce')];
         const canonical = await sdk.canonicalRequest({ method: 'POST', path, timestamp, nonce, body });
         const right = await webCrypto.signCanonicalRequest(canonical, 'secret');
         sent = header('signature') === right;
         return new Response(given.answer, { status: 201 });
       };
       const client = sdk.createClient({
         baseUrl: 'https://pay.example', keyId: 'k', signingSecret: 'secret', fetch,
       });
       const order = { partnerUserId: 'u', amountUsdCents: 1, corridor: 'th_qrpay' };
       const intent = await client.createIntent(order, { signal: new AbortController().signal });
       return [sent, intent.intentId];`,
      { answer: JSON.stringify(WIRE_INTENT) },
    );
    expect(sent).toEqual([true, WIRE_INTENT.intent_id]);
  });

  it('a minted session token is verified by its published key set', async () => {
    const at = '2025-01-15T10:30:00.000Z';
    const [token, published] = (await inRealm(
      `const { key, at } = given;
       const time = new Date(at);
       const token = await sdk.mintSessionToken({
         issuer: 'https://a.example', kid: key.kid, privateKeyPem: key.private_key_pem, subject: 'u',
         intent: { intentId: 'pi_1', amountUsdCents: 1, corridor: 'th_qrpay' },
         kycAttestation: { verified: true, method: 'document', verifiedAt: time },
         sanctionsAttestation: { clean: true, screenedAt: time }, now: () => time,
       });
       const keys = [{ kid: key.kid, publicKeyPem: key.public_key_pem }];
       return [token, JSON.stringify(await sdk.keySet(keys))];`,
      { key, at },
    )) as [string, string];
    const keys = createLocalJWKSet(JSON.parse(published) as JSONWebKeySet);
    const { payload } = await jwtVerify(token, keys, { currentDate: new Date(at) });
    expect(payload).toMatchObject({ iss: 'https://a.example', 'service:intent_id': 'pi_1' });
  });
});

function fail(what: string): never {
  throw new Error(what);
}
