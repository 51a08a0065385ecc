// The kit for providers: it passes the sandbox provider, and finds each defect of a provider.
import { createProviderOutbound } from '../../../../src/http/provider-outbound';
import { createCaller } from '../../../../src/sdk/conformance/provider/caller';
import { certify, ORDERED_CENTS_MAX } from '../../../../src/sdk/conformance/provider/certify';
import { recogniseErrorsOfNode } from '../../../support/builders';
import { withServers } from '../../../support/servers/counted-servers';
import { ProviderCaller, TOKEN } from '../../../sandbox/provider-caller';
import { inFrontOf, type Defect } from './defective-provider';
import * as defects from './defects';

recogniseErrorsOfNode();

const outbound = createProviderOutbound();
afterAll(() => outbound.close());
const servers = withServers();
let sandbox: ProviderCaller;
beforeEach(async () => {
  sandbox = new ProviderCaller();
  await sandbox.start();
});
afterEach(() => sandbox.stop());

const TURNS = 50;

/** Lets the sandbox's clock pass, and its servers handle what has arrived. */
async function wait(ms: number): Promise<void> {
  sandbox.time.advance(ms);
  for (let turn = 0; turn < TURNS; turn += 1) await new Promise(setImmediate);
}

async function certified(defect: Defect, corridor: 'th_qrpay' | 'vn_qrpay' = 'th_qrpay') {
  const { port } = await servers.http(inFrontOf(sandbox.url, defect));
  const target = { baseUrl: `http://127.0.0.1:${port}`, token: TOKEN, corridor };
  const { results, ...verdict } = await certify(
    createCaller({ ...target, outbound, wait, silentAfterMs: 300 }),
  );
  const failed = results.filter(({ outcome }) => outcome === 'failed').map(({ check }) => check);
  return { failed, verdict };
}

it.each(['th_qrpay', 'vn_qrpay'] as const)(
  'certifies the sandbox provider in %s, and orders the printed sum',
  async (corridor) => {
    const ordered = new Map<string, number>();
    const { failed, verdict } = await certified(defects.counts(ordered), corridor);
    expect(failed).toEqual([]);
    expect(verdict).toEqual({ isCertified: true, resolvesUnknown: true });
    const sum = [...ordered.values()].reduce((total, cents) => total + cents, 0);
    expect(sum).toBe(ORDERED_CENTS_MAX);
  },
);

it.each<[string, Defect, string, boolean]>([
  [
    'executes a repeat',
    defects.executesRepeats,
    'The same order again is the same payment.',
    false,
  ],
  [
    'executes concurrent orders of a key',
    defects.executesConcurrent,
    'Twenty orders at once with one key are one payment.',
    true,
  ],
  ['forgets a key', defects.forgets, 'The same order again is the same payment.', false],
  [
    'answers not_found while it executes',
    defects.deniesWhilePending,
    'A pending order (40004) is found while pending, then paid.',
    true,
  ],
  [
    'answers not_found to every query',
    defects.deniesEverything,
    'An order is paid, and the balance falls by it.',
    false,
  ],
  [
    'answers an unknown key by a page of its gateway',
    defects.deniesByPage,
    'An unknown key is 404 with exactly error and key.',
    false,
  ],
  [
    'answers not_found for paths that do not exist',
    defects.deniesPaths,
    'Paths that do not exist never answer not_found.',
    false,
  ],
  [
    'answers another amount',
    defects.changesAmount,
    'An order is paid, and the balance falls by it.',
    false,
  ],
  [
    'answers with another key’s payout',
    defects.answersOther,
    'An unknown key is 404 with exactly error and key.',
    false,
  ],
  [
    'refuses an order and executes it',
    defects.refusesButExecutes,
    'A refused order (40013) is not executed.',
    true,
  ],
  [
    'declines an order, then pays it',
    defects.declinesThenPays,
    'A declined order (40001) stays declined and is never paid.',
    true,
  ],
  [
    'caches not_found',
    defects.cachesDenials,
    'No answer comes from a cache: not_found ends with the order.',
    false,
  ],
  [
    'answers queries from a cache',
    defects.answersFromCache,
    'An order is paid, and the balance falls by it.',
    false,
  ],
  [
    'executes a lost order after it was not_found',
    defects.executesLate,
    'An order cut off behind its last byte has one outcome.',
    false,
  ],
  [
    'needs no credential',
    defects.needsNoCredential(`Bearer ${TOKEN}`),
    'Without the credential nothing is answered or executed.',
    true,
  ],
  [
    'never says returned',
    defects.neverReturns,
    'A paid order (40010) is returned, and its balance comes back.',
    true,
  ],
  [
    'executes an order with an expired quote',
    defects.ignoresQuotes,
    'An expired quote (40012) is refused: rate_expired.',
    true,
  ],
  [
    'executes an amount that is a text',
    defects.readsTextAmounts,
    'No amount but whole cents from 1 to 100 000 000 is paid.',
    true,
  ],
])('does not certify a provider that %s', async (_what, defect, check, resolvesUnknown) => {
  const { failed, verdict } = await certified(defect);
  expect(failed).toContain(check);
  expect(verdict).toEqual({ isCertified: false, resolvesUnknown });
});
