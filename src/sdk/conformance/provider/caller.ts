// Calls the provider under test by the engine's own adapter, so that an answer means the same to a
// check and to the engine. Stricter in one point: no answer may come from a cache.
import { z } from 'zod';
import { formatLocal, isCostText, type LocalAmount } from '../../../domain/money';
import {
  PAYOUT_ATTEMPT_TIMEOUT_MS,
  PROVIDER_ANSWER_MAX_BYTES,
} from '../../../domain/payouts/limits';
import type { FailureCode } from '../../../domain/payouts/permissions';
import type { Corridor } from '../../../corridors/names';
import type { Outbound, OutboundReply, OutboundRequest } from '../../../http/outbound';
import type { InquiryAnswer, PayoutOrder, PayoutOutcome } from '../../../ports/payout-provider';
import { jsonOf } from '../../../providers/exchange';
import { createHttpProvider } from '../../../providers/http/provider';
import { makeUniqueText } from '../../clock';
import { UsageError } from '../settings';

export interface Target {
  readonly outbound: Outbound;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly token: string;
  readonly corridor: Corridor;
  readonly wait: (ms: number) => Promise<void>;
  /** The timeout of the order that the provider never answers. */
  readonly silentAfterMs: number;
}

/** Changes a request, or sends it otherwise than the engine. */
export type Way = (request: OutboundRequest, send: Outbound['send']) => Promise<OutboundReply>;

type Expected = PayoutOutcome['outcome'] | `refused: ${FailureCode}`;

const POLLS_MAX = 20;
const BETWEEN_POLLS_MS = 500;

export type Caller = ReturnType<typeof createCaller>;

export function createCaller(target: Target) {
  const { outbound, corridor, wait } = target;
  const uncached: Outbound = { ...outbound, send: (request) => sendUncached(request, outbound) };
  const provider = createHttpProvider(uncached, target);
  /** Sends the order. @throws Error unless the answer is one of these; without any it may be any */
  const order = async (given: PayoutOrder, ...expected: readonly Expected[]) => {
    const limits = { isInTime: () => true, timeoutMs: PAYOUT_ATTEMPT_TIMEOUT_MS };
    return verified(await provider.pay(given, limits), given, expected);
  };
  /** Queries by the order's key. @throws Error as `order` does */
  const find = async (given: PayoutOrder, ...expected: readonly Expected[]) =>
    verified(await provider.find(given), given, expected);
  /** Queries until the order is neither pending nor unknown. @throws Error unless it is paid */
  const findPaid = async (given: PayoutOrder): Promise<PayoutOutcome> => {
    for (let polls = 1; ; polls += 1) {
      const answer = await find(given);
      const isOpen = answer.outcome === 'pending' || answer.outcome === 'unknown';
      if (!isOpen || polls === POLLS_MAX) return verified(answer, given, ['paid']);
      await wait(BETWEEN_POLLS_MS);
    }
  };
  /** Sends the order. @throws Error unless it is paid, at once or later */
  const pay = async (given: PayoutOrder): Promise<PayoutOutcome> => {
    await order(given, 'paid', 'pending');
    return findPaid(given);
  };
  const inquire = (amountUsdCents: number, qrPayload: string): Promise<InquiryAnswer> =>
    provider.inquire({ corridor, amountUsdCents, qrPayload, local: null });
  /** An order with a new key, of the form of the engine's keys. */
  const anOrder = (amountUsdCents: number): PayoutOrder => {
    const key = `pi_${makeUniqueText().replaceAll('-', '').slice(0, 26)}:payout`;
    const absent = { qrPayload: null, token: null, local: null, reference: null };
    return { key, amountUsdCents, corridor, payer: 'conformance', ...absent };
  };
  return { ...target, anOrder, find, findPaid, inquire, order, pay };
}

/** The same calls, each sent in this way. */
export function through({ outbound, ...target }: Target, way: Way): Caller {
  const send: Outbound['send'] = (request) => way(request, (sent) => outbound.send(sent));
  return createCaller({ ...target, outbound: { ...outbound, send } });
}

async function sendUncached(request: OutboundRequest, outbound: Outbound): Promise<OutboundReply> {
  const reply = await outbound.send(request);
  if (reply.headers['age'] === undefined) return reply;
  throw new Error('the answer comes from a cache, with an Age header');
}

/** What is paid must be of the order's cents, and of its local amount where the order has one. */
function verified(
  answer: PayoutOutcome,
  order: PayoutOrder,
  expected: readonly Expected[],
): PayoutOutcome {
  if (expected.length === 0) return answer;
  if (!expected.some((one) => one === textOf(answer))) throw new Error(described(answer));
  if (!('facts' in answer)) return answer;
  const { orderedUsdCents, local } = answer.facts;
  if (orderedUsdCents !== order.amountUsdCents) throw new Error(described(answer));
  verifyLocal(local, order.local);
  return answer;
}

/** @param due null if any amount will do */
export function verifyLocal(found: LocalAmount | null, due: LocalAmount | null): void {
  if (found === null) throw new Error('It answered no local amount.');
  const [isText, dueText] = [formatLocal(found), formatLocal(due ?? found)];
  if (isText !== dueText) throw new Error(`The payee gets ${isText}, not ${dueText}.`);
}

const textOf = (answer: PayoutOutcome | InquiryAnswer): string =>
  answer.outcome === 'refused' ? `refused: ${answer.code}` : answer.outcome;

/** Such as `It answered paid, 100 cents.` */
export function described(answer: PayoutOutcome | InquiryAnswer): string {
  if (answer.outcome === 'unknown') return `The outcome is unknown: ${answer.cause}.`;
  const cents = 'facts' in answer ? `, ${String(answer.facts.orderedUsdCents)} cents` : '';
  return `It answered ${textOf(answer)}${cents}.`;
}

const balanceSchema = z.object({
  currency: z.enum(['USD', 'USDT']),
  available: z.string().refine(isCostText),
  environment: z.unknown(),
});

/** @throws UsageError if the provider answers no balance */
export async function readBalance({ outbound, baseUrl, token }: Target) {
  const limits = { timeoutMs: PAYOUT_ATTEMPT_TIMEOUT_MS, maxBytes: PROVIDER_ANSWER_MAX_BYTES };
  const headers = { authorization: `Bearer ${token}`, 'cache-control': 'no-cache' };
  const request = { method: 'GET', url: `${baseUrl}/balance`, headers, ...limits } as const;
  const reply = await sendUncached(request, outbound).catch(() => undefined);
  const balance = balanceSchema.safeParse(reply?.status === 200 ? jsonOf(reply) : undefined);
  if (!balance.success) throw new UsageError('GET /balance did not answer a balance.');
  const { available, environment } = balance.data;
  return { environment, cents: Number(available) * 100 };
}
