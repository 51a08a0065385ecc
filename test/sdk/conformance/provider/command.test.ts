// `conformance --provider`: nothing is ordered unless the provider is a sandbox; exit codes.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processEnvironment } from '../../../../src/config/config';
import { RUN_TYPESCRIPT } from '../../../../src/dev/tools';
import { runProgram } from '../../../guide/run-program';
import { ROOT } from '../../../support/programs/fixture-project';
import { withServers } from '../../../support/servers/counted-servers';

const PROGRAM = ['node', ...RUN_TYPESCRIPT, 'src/sdk/conformance/main.ts'];
const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
const tokenFile = join(folder, 'token');
writeFileSync(tokenFile, 'a credential\n');
const emptyFile = join(folder, 'empty');
writeFileSync(emptyFile, '\n');
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});
const servers = withServers();

const conformance = (args: readonly string[]) =>
  runProgram([...PROGRAM, ...args], {
    cwd: ROOT,
    env: { PATH: processEnvironment()['PATH'] },
  });

const SUM = 'It orders 2805.98 USD from the balance of this sandbox.';

/** A provider that knows its balance alone. */
async function aProvider(environment: string) {
  const calls: string[] = [];
  const { port } = await servers.http((request, response) => {
    calls.push(`${request.method ?? ''} ${request.url ?? ''}`);
    const isBalance = request.url === '/balance';
    const balance = { currency: 'USD', available: '1', environment };
    response
      .writeHead(isBalance ? 200 : 404, { 'content-type': 'application/json' })
      .end(JSON.stringify(isBalance ? balance : { error: 'not found' }));
  });
  return { calls, args: ['--provider', `http://127.0.0.1:${port}`, '--token-file', tokenFile] };
}

it('explains itself beside the checks for partners', async () => {
  const { code, stdout } = await conformance(['--help']);
  expect(code).toBe(0);
  expect(stdout).toContain('usage: conformance [--base-url URL');
  expect(stdout).toContain('usage: conformance --provider URL --token-file FILE');
});

it.each([
  ['production', '"environment": "sandbox", so nothing is ordered.'],
  ['', '"environment": "sandbox", so nothing is ordered.'],
])('exits 2 and orders nothing where the environment is "%s"', async (environment, reason) => {
  const { calls, args } = await aProvider(environment);
  const ran = await conformance(args);
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain(reason);
  expect(calls).toEqual(['GET /balance']);
});

it('says the sum first, and exits 1 with what failed and the verdict', async () => {
  const { args } = await aProvider('sandbox');
  const { code, stdout } = await conformance(args);
  expect(code).toBe(1);
  expect(stdout.replaceAll('\n', ' ').indexOf(SUM)).toBe(0);
  expect(stdout).toContain('FAILED   An order is paid, and the balance falls by it.');
  expect(stdout).toContain('Unknown outcomes cannot be resolved');
  expect(stdout).toContain('The provider is not certified.');
});

it('prints JSON alone for programs', async () => {
  const { args } = await aProvider('sandbox');
  const { code, stdout, stderr } = await conformance([...args, '--json']);
  expect(code).toBe(1);
  expect(stderr).toContain(SUM);
  expect(JSON.parse(stdout)).toMatchObject({
    ...{ passed: expect.any(Number) as number, ordered_usd_cents_max: 280_598 },
    verdict: { certified: false, unknown_outcomes_can_be_resolved: false },
  });
});

it.each([
  [[], '--provider:  is not a URL. Expected http://… or https://….'],
  [['http://127.0.0.1:9'], '--token-file is missing.'],
  [
    ['http://127.0.0.1:9', '--token-file', emptyFile],
    `--token-file: ${emptyFile} has no credential. Expected one line of ASCII.`,
  ],
  [['http://127.0.0.1:9', '--token-file', tokenFile], 'GET /balance did not answer a balance.'],
  [
    ['http://127.0.0.1:9', '--token-file', tokenFile, '--corridor', 'us'],
    '--corridor: us is not a corridor. Expected th_qrpay or vn_qrpay.',
  ],
])('exits 2 for %j, and says why', async ([url = '', ...more], sentence) => {
  const ran = await conformance([`--provider=${url}`, ...more]);
  expect(ran).toEqual({ code: 2, stdout: '', stderr: `conformance: ${sentence} See --help.\n` });
});
