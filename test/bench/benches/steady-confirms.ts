// Confirms payments at a steady pace (open loop) until it is stopped. Each time starts when its
// request is due, and any status counts.
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { Begun } from '../load/payments';
import { confirmOf } from '../load/requests';
import { percentilesOf, type Percentiles } from '../figures/report';
import { median } from '../figures/statistics';

export interface Confirmed {
  readonly atMs: number;
  readonly ms: number;
  /** 0 when there was no answer. */
  readonly status: number;
}

interface ConfirmOptions {
  readonly port: number;
  readonly perSecond: number;
  /** Each payment is confirmed once. */
  readonly payments: readonly Begun[];
}

/** Longer than any confirm waits. */
const ANSWER_TIMEOUT_MS = 30_000;

export function confirmSteadily({ port, perSecond, payments }: ConfirmOptions) {
  const agent = new Agent({ headersTimeout: ANSWER_TIMEOUT_MS });
  const stopping = new AbortController();
  const confirm = async (payment: Begun, dueAtMs: number): Promise<Confirmed> => {
    const { path, ...sent } = confirmOf(payment);
    const url = `http://127.0.0.1:${String(port)}${path}`;
    const status = await request(url, { ...sent, dispatcher: agent })
      .then(async ({ statusCode, body }) => {
        await body.text();
        return statusCode;
      })
      .catch(() => 0);
    return { atMs: dueAtMs, ms: Date.now() - dueAtMs, status };
  };
  const run = async () => {
    const sent: Promise<Confirmed>[] = [];
    const startedAtMs = Date.now();
    for (const [nth, payment] of payments.entries()) {
      const dueAtMs = startedAtMs + (nth * 1_000) / perSecond;
      await pause(Math.max(0, dueAtMs - Date.now()), undefined, { signal: stopping.signal }).catch(
        () => undefined,
      );
      if (stopping.signal.aborted) break;
      sent.push(confirm(payment, dueAtMs));
    }
    return Promise.all(sent);
  };
  const running = run();
  return {
    /** Sends no further confirm, and returns when all sent ones are answered. */
    async stop(): Promise<readonly Confirmed[]> {
      stopping.abort();
      const confirmed = await running;
      await agent.close();
      return confirmed;
    },
  };
}

export function p99Ms(confirmed: readonly Confirmed[]): number {
  return Math.ceil(spreadOf('', '', confirmed).p99_us / 1_000);
}

/** One p50 for each group of `each` confirms, in the order of sending. */
export function p50sMs(confirmed: readonly Confirmed[], each: number): readonly number[] {
  const times = confirmed.map(({ ms }) => ms);
  const count = Math.ceil(times.length / each);
  return Array.from({ length: count }, (_, nth) =>
    median(times.slice(nth * each, (nth + 1) * each)),
  );
}

export function failedOf(confirmed: readonly Confirmed[]): number {
  return confirmed.filter(({ status }) => status !== 200).length;
}

export function spreadOf(name: string, side: string, confirmed: readonly Confirmed[]): Percentiles {
  const times = confirmed.map(({ ms }) => ms * 1_000);
  return percentilesOf(name, `${side} (${String(failedOf(confirmed))} failed)`, times);
}
