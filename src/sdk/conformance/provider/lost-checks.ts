// Checks of orders whose answer is lost. They decide whether an unknown outcome can be resolved. An
// order that may be unknown to the provider is sent again, and must then be paid once.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { PAYOUT_SENDING_MAX_SECONDS } from '../../../domain/payouts/limits';
import { described, through, type Way } from './caller';
import type { ProviderCheck, Trial } from './provider-check';

/** From then on `not_found` is proof. */
export const FENCE_MS = PAYOUT_SENDING_MAX_SECONDS * 1_000;

const STABLE = 'Danger: double payment. Say not_found only if the order can never be executed.';

export const LOST_CHECKS: readonly ProviderCheck[] = [
  {
    name: 'An order is found when the connection is cut at its answer.',
    advice: 'Store the order before you answer, and answer queries from those books.',
    pays: 10,
    async run({ findPaid, given, ...caller }) {
      // The connection is reset at the first byte beyond this.
      await through(caller, (request, send) => send({ ...request, maxBytes: 0 })).order(given);
      await findPaid(given);
    },
  },
  {
    name: 'Half an order is never executed.',
    advice: 'Read the whole body, by its Content-Length, before you store anything.',
    pays: 10,
    run: (trial) => loseAndSendAgain(trial, sendHalf, ['not_found']),
  },
  {
    name: 'An order cut off behind its last byte has one outcome.',
    advice: STABLE,
    pays: 10,
    run: (trial) => loseAndSendAgain(trial, sendAndCut, ['not_found', 'paid']),
  },
  {
    name: 'An order of a killed caller has one outcome.',
    advice: STABLE,
    pays: 10,
    run: (trial) => loseAndSendAgain(trial, sendAndDie, ['not_found', 'paid']),
  },
  {
    name: 'An order that is never answered (40002) is found as paid.',
    advice: 'Execute 40002 in your sandbox without an answer, and answer queries for it.',
    pays: 40_002,
    async run({ find, findPaid, given, ...caller }) {
      const timeoutMs = caller.silentAfterMs;
      const brief = through(caller, (request, send) => send({ ...request, timeoutMs }));
      await brief.order(given, 'unknown');
      // It may still be on its way.
      if ((await find(given)).outcome === 'not_found') await caller.wait(FENCE_MS);
      await findPaid(given);
    },
  },
];

/** What a query says once no request is on its way must be one of these, and stay. */
async function loseAndSendAgain(
  trial: Trial,
  way: Way,
  expected: readonly string[],
): Promise<void> {
  const { find, given, pay, wait } = trial;
  await through(trial, way).order(given);
  await wait(FENCE_MS);
  const early = await find(given);
  await wait(FENCE_MS);
  const late = await find(given);
  const isStable = early.outcome === late.outcome && expected.includes(late.outcome);
  if (!isStable) throw new Error(`6 s later: ${described(early)} 12 s later: ${described(late)}`);
  await pay(given);
}

/** Resets the connection once the request has left. */
const sendAndCut: Way = (request, send) => {
  const cut = new AbortController();
  const isInTime = () => {
    setImmediate(() => cut.abort());
    return true;
  };
  return send({ ...request, isInTime, signal: cut.signal });
};

const sendHalf: Way = (request, send) => {
  const body = String(request.body);
  const headers = { ...request.headers, 'content-length': String(Buffer.byteLength(body)) };
  return sendAndCut({ ...request, headers, body: body.slice(0, body.length / 2) }, send);
};

/** Its input has the credential, because other users of the machine can see arguments. */
const SCRIPT = `
const { url, body, ...options } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
const { request } = require(url.startsWith('https:') ? 'node:https' : 'node:http');
request(url, options).end(body, () => process.kill(process.pid, 'SIGKILL'));
`;

/** A process of its own sends the order, and dies (SIGKILL) before it reads an answer. */
const sendAndDie: Way = async ({ timeoutMs: timeout, ...request }) => {
  const dying = promisify(execFile)(process.execPath, ['-e', SCRIPT], { timeout });
  dying.child.stdin?.end(JSON.stringify(request));
  await dying;
  throw new Error('the caller was killed');
};
