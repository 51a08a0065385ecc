// `npm run conformance -- --provider URL --token-file FILE`: certifies a provider of our protocol.
import { setTimeout as pause } from 'node:timers/promises';
import { formatUsd } from '../../../domain/money';
import { PAYOUT_ATTEMPT_TIMEOUT_MS } from '../../../domain/payouts/limits';
import { createProviderOutbound } from '../../../http/provider-outbound';
import { countsOf, linesOf, print, warn, wrapped } from '../report';
import { argumentsIn, checkedUrl, corridorIn, readFile, required, UsageError } from '../settings';
import { createCaller, readBalance } from './caller';
import { certify, ORDERED_CENTS_MAX, type Certification } from './certify';

export const USAGE = `usage: conformance --provider URL --token-file FILE [--corridor C] [--json]

Certifies the sandbox of a payout provider that speaks the provider protocol
(docs/provider-protocol.md). First it prints the sum that it orders there. It
orders nothing unless GET /balance says "environment": "sandbox".

  --provider URL        the provider's address, without /payouts
  --token-file FILE     the file with its bearer credential
  --corridor C          th_qrpay (default) or vn_qrpay
  --json                print JSON

Exit codes: 0 certified, 1 a check failed, 2 not started, with the reason.`;

const OPTIONS = {
  provider: { type: 'string' },
  'token-file': { type: 'string' },
  corridor: { type: 'string', default: 'th_qrpay' },
  json: { type: 'boolean', default: false },
} as const;

const ANNOUNCEMENT = `It orders ${formatUsd(ORDERED_CENTS_MAX)} from the balance of this sandbox. Run nothing else against that balance. It takes about a minute.`;

const NO_SANDBOX = 'GET /balance does not say "environment": "sandbox", so nothing is ordered.';

export const isProviderCommand = (args: readonly string[]): boolean =>
  args.some((arg) => /^--provider(=|$)/.test(arg));

/** @returns the exit code. @throws UsageError */
export async function certifyProvider(args: readonly string[]): Promise<0 | 1> {
  const { isJson, ...address } = readOptions(args);
  const outbound = createProviderOutbound();
  const wait = (ms: number) => pause(ms);
  const caller = createCaller({
    ...{ ...address, outbound, wait, silentAfterMs: PAYOUT_ATTEMPT_TIMEOUT_MS },
  });
  try {
    const { environment } = await readBalance(caller);
    if (environment !== 'sandbox') throw new UsageError(NO_SANDBOX);
    // With --json the standard output is for programs alone.
    (isJson ? warn : print)([...wrapped(ANNOUNCEMENT, ''), ''].join('\n'));
    const certification = await certify(caller);
    const { results } = certification;
    const notes = sentencesOf(certification);
    print(isJson ? jsonOf(certification) : linesOf({ results, notes }).join('\n'));
    return certification.isCertified ? 0 : 1;
  } finally {
    await outbound.close();
  }
}

function readOptions(args: readonly string[]) {
  const { values } = argumentsIn({ args: [...args], options: OPTIONS });
  return {
    baseUrl: checkedUrl('--provider', values.provider ?? '').replace(/\/+$/, ''),
    token: tokenIn(required(values['token-file'], '--token-file')),
    corridor: corridorIn(values.corridor),
    isJson: values.json,
  };
}

/** The credential is no argument, because other users of the machine can see those. */
function tokenIn(path: string): string {
  const token = readFile('--token-file', path).toString('utf8').trim();
  if (/^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(token)) return token;
  throw new UsageError(`--token-file: ${path} has no credential. Expected one line of ASCII.`);
}

function jsonOf(certification: Certification): string {
  const { results, isCertified, resolvesUnknown } = certification;
  const report = {
    ...countsOf({ results, notes: [] }),
    ordered_usd_cents_max: ORDERED_CENTS_MAX,
    verdict: {
      certified: isCertified,
      unknown_outcomes_can_be_resolved: resolvesUnknown,
      sentences: sentencesOf(certification),
    },
    checks: results,
  };
  return JSON.stringify(report, null, 2);
}

function sentencesOf({ isCertified, resolvesUnknown }: Certification): readonly string[] {
  return [
    resolvesUnknown
      ? 'Unknown outcomes can be resolved: an order whose answer is lost is found by its key, and not_found stays true.'
      : 'Unknown outcomes cannot be resolved: a query by key does not say for certain what became of an order whose answer is lost. Each of them would need an operator.',
    isCertified
      ? 'The provider is certified.'
      : 'The provider is not certified. Danger: connect it to no balance with real money.',
  ];
}
