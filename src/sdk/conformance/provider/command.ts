// `npm run conformance -- --provider URL --token-file FILE`: certifies a provider of our protocol.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { isCorridor, type Corridor } from '../../../corridors/names';
import { formatUsd } from '../../../domain/money';
import { PAYOUT_ATTEMPT_TIMEOUT_MS } from '../../../domain/payouts/limits';
import { createProviderOutbound } from '../../../http/provider-outbound';
import { countsOf, linesOf, wrapped } from '../report';
import { checkedUrl, required, UsageError } from '../settings';
import { callerFor, certify, denialOf, type Certification } from './certify';
import type { Target } from './caller';
import { ORDERED_CENTS_MAX } from './subject';

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

const TIMING = {
  wait: (ms: number) => pause(ms),
  timeoutMs: PAYOUT_ATTEMPT_TIMEOUT_MS,
  silentAfterMs: PAYOUT_ATTEMPT_TIMEOUT_MS,
};

interface Output {
  readonly print: (text: string) => void;
  readonly warn: (text: string) => void;
}

export const isProviderCommand = (args: readonly string[]): boolean =>
  args.some((arg) => /^--provider(=|$)/.test(arg));

/** @returns the exit code. @throws UsageError */
export async function certifyProvider(args: readonly string[], output: Output): Promise<0 | 1> {
  const { target, isJson } = readTarget(args);
  const outbound = createProviderOutbound();
  try {
    const caller = callerFor(outbound, target, TIMING);
    const denial = await denialOf(caller);
    if (denial !== undefined) throw new UsageError(denial);
    // With --json the standard output is for programs alone.
    (isJson ? output.warn : output.print)(announcement());
    const certification = await certify(caller);
    output.print(isJson ? jsonOf(certification) : textOf(certification));
    return certification.verdict.isCertified ? 0 : 1;
  } finally {
    await outbound.close();
  }
}

function readTarget(args: readonly string[]) {
  const values = optionsIn(args);
  const baseUrl = checkedUrl('--provider', values.provider ?? '').replace(/\/+$/, '');
  const token = tokenIn(required(values['token-file'], '--token-file'));
  const target: Target = { baseUrl, token, corridor: corridorIn(values.corridor) };
  return { target, isJson: values.json };
}

function optionsIn(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** The credential is no argument, because other users of the machine can see those. */
function tokenIn(path: string): string {
  const token = textOfFile(path).trim();
  if (/^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(token)) return token;
  throw new UsageError(`--token-file: ${path} has no credential. Expected one line of ASCII.`);
}

function textOfFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new UsageError(`--token-file: ${path} cannot be read.`);
  }
}

function corridorIn(text: string): Corridor {
  if (isCorridor(text)) return text;
  throw new UsageError(`--corridor: ${text} is not a corridor. Expected th_qrpay or vn_qrpay.`);
}

function announcement(): string {
  const sum = formatUsd(ORDERED_CENTS_MAX);
  const text = `It orders ${sum} from the balance of this sandbox. Run nothing else against that balance. It takes about a minute.`;
  return [...wrapped(text, ''), ''].join('\n');
}

function textOf({ results, verdict }: Certification): string {
  const notes = sentencesOf(verdict);
  return linesOf({ results, notes }).join('\n');
}

function jsonOf({ results, verdict }: Certification): string {
  const report = {
    ...countsOf({ results, notes: [] }),
    ordered_usd_cents_max: ORDERED_CENTS_MAX,
    verdict: {
      certified: verdict.isCertified,
      unknown_outcomes_can_be_resolved: verdict.resolvesUnknown,
      sentences: sentencesOf(verdict),
    },
    checks: results,
  };
  return JSON.stringify(report, null, 2);
}

function sentencesOf({ isCertified, resolvesUnknown }: Certification['verdict']) {
  return [
    resolvesUnknown
      ? 'Unknown outcomes can be resolved: an order whose answer is lost is found by its key, and not_found stays true.'
      : 'Unknown outcomes cannot be resolved: a query by key does not say for certain what became of an order whose answer is lost. Each of them would need an operator.',
    isCertified
      ? 'The provider is certified.'
      : 'The provider is not certified. Danger: connect it to no balance with real money.',
  ];
}
