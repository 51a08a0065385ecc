// Checks the guide's own partner: it makes, registers and publishes keys, pays by curl and openssl,
// and gets the webhook at its own server.
import { spawn, type ChildProcess } from 'node:child_process';
import { until } from '../../src/dev/until';
import { checkReceiver } from './conformance-check';
import { payInShell } from './payment-checks';
import {
  demand,
  programOf,
  runPayctl,
  variablesIn,
  type Settings,
  type Workplace,
} from './workplace';

export const PARTNER_PROGRAMS = ['make-key.sh', 'onboard.sh', 'partner-server.mts'];

/** The guide's INTENT_TTL_SECONDS=60, and a poller's turn. */
const PRINTED_WITHIN_MS = 120_000;

/** @param isExpiring given where the sandbox was started as the guide's block for `expired` says */
export async function checkOwnPartner(
  place: Workplace,
  isExpiring?: 'expires soon',
): Promise<void> {
  const settings = await onboard(place);
  const server = startServer(place, settings);
  try {
    await waitFor(server, /listening/g);
    await checkAnswers(place);
    await checkReceiver(place, settings);
    await checkWebhooksHere(place, { server, settings });
    if (isExpiring !== undefined) await checkExpired(place, { server, settings });
  } finally {
    server.process.kill('SIGKILL');
  }
}

interface Here {
  readonly server: Server;
  readonly settings: Settings;
}

/** The guide's commands for webhooks to the partner's own machine. */
async function checkWebhooksHere(place: Workplace, { server, settings }: Here): Promise<void> {
  const url = `http://127.0.0.1:${place.serverPort}/webhooks`;
  const set = await runPayctl(place, [
    'webhooks',
    'set',
    'my-app',
    '--url',
    url,
    '--also',
    'expired',
  ]);
  demand(set.includes('expired'), 'the endpoint gets no event of an expired intent', printed(set));
  const intentId = await payInShell(place, settings);
  const captured = new RegExp(`(evt_\\w+) payment_intent\\.captured .*${intentId}`, 'g');
  await waitFor(server, captured);
  const [, eventId = ''] = new RegExp(captured.source).exec(server.printed()) ?? [];
  await runPayctl(place, ['webhooks', 'replay', eventId]);
  await waitFor(server, captured, 2);
  await runPayctl(place, ['intents', 'refund', intentId]);
  await waitFor(server, new RegExp(`payment_intent\\.refunded .*${intentId}`, 'g'));
}

async function checkExpired(place: Workplace, { server, settings }: Here): Promise<void> {
  const { stdout } = await place.run(['bash', 'create-intent.sh'], { settings });
  const [intentId = 'none'] = /pi_\w+/.exec(stdout) ?? [];
  await waitFor(server, new RegExp(`payment_intent\\.expired .*${intentId}`, 'g'));
}

const printed = (stdout: string) => ({ code: null, stdout, stderr: '' });

/** The commands of the page, in one shell. */
const ONBOARD = `
bash make-key.sh
bash onboard.sh my-app > my-app.env && source my-app.env
export SESSION_KID=my-app-1 SESSION_PRIVATE_KEY_PEM="$(cat session-private.pem)"
env -0`;

async function onboard(place: Workplace): Promise<Settings> {
  const ran = await place.run(['bash', '-euo', 'pipefail', '-c', ONBOARD]);
  const settings = variablesIn(ran.stdout);
  const isOnboarded = ran.code === 0 && settings['RETURN_SCHEME'] === 'my-app';
  demand(isOnboarded, 'the partner of the guide was not registered', ran);
  return settings;
}

interface Server {
  readonly process: ChildProcess;
  readonly printed: () => string;
}

function startServer(place: Workplace, settings: Settings): Server {
  const [program = '', ...args] = programOf('partner-server.mts').asPrinted;
  const child = spawn(program, args, { cwd: place.folder, env: settings });
  let printed = '';
  const append = (chunk: Buffer) => {
    printed += chunk.toString('utf8');
  };
  child.stdout.on('data', append);
  child.stderr.on('data', append);
  return { process: child, printed: () => printed };
}

async function waitFor(
  { printed, process: child }: Server,
  text: RegExp,
  times = 1,
): Promise<void> {
  const isThere = () => (printed().match(text) ?? []).length >= times;
  await until(() => isThere() || child.exitCode !== null, { timeoutMs: PRINTED_WITHIN_MS });
  const ran = { code: child.exitCode, stdout: printed(), stderr: '' };
  demand(isThere(), `partner-server.mts did not print ${String(text)}`, ran);
}

/** One public key with the six members of protocol 4.5, and no other. */
const KEY_SET =
  /^\{"keys":\[\{"kty":"RSA","use":"sig","alg":"RS256","kid":"my-app-1","n":"[\w-]+","e":"AQAB"\}\]\}$/;

async function checkAnswers({ serverPort }: Workplace): Promise<void> {
  const at = (path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${serverPort}${path}`, {
      ...init,
      signal: AbortSignal.timeout(10_000),
    });
  const published = await (await at('/.well-known/jwks.json')).text();
  const forged = await at('/webhooks', { method: 'POST', body: '{}' });
  const other = await at('/other');
  const isRight = KEY_SET.test(published) && forged.status === 400 && other.status === 404;
  const answers = { code: null, stdout: published, stderr: `${forged.status} ${other.status}` };
  demand(isRight, 'partner-server.mts gave an unexpected answer', answers);
  const long = new Uint8Array(LONG_BYTES);
  // It answers before it has read all, or ends the connection.
  const status = await at('/webhooks', { method: 'POST', body: long }).then(
    (answer) => answer.status,
    () => 500,
  );
  const found = { code: null, stdout: String(status), stderr: '' };
  demand(status === 500, 'partner-server.mts reads a body of any length', found);
}

/** More than the buffers of a connection hold. */
const LONG_BYTES = 32 * 1_024 * 1_024;
