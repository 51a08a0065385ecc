// Callbacks of the sandbox provider (docs/provider-protocol.md), each sent once.
import type { Log } from '../../ports/observe';
import { hmacSha256Hex } from '../../signing/hmac';
import { scenarioFor } from '../scenarios';
import type { Schedule } from '../schedule';
import { referenceOf } from './local-amounts';
import type { PayoutRequest } from './orders';

export interface CallbackDeps {
  /** The engine's address before `/callbacks`; undefined: none is sent. */
  readonly callbackUrl?: string | undefined;
  readonly token: string;
  readonly schedule: Schedule;
  readonly log: Log;
}

/** Sends one when an order is decided, or returned, later than its answer. */
export function announce(
  { key, corridor, amountUsdCents }: PayoutRequest,
  { callbackUrl: url, token, schedule, log }: CallbackDeps,
): void {
  const { pendingMs, returnedAfterMs } = scenarioFor(amountUsdCents);
  const afterMs = returnedAfterMs ?? pendingMs;
  if (url === undefined || afterMs === 0) return;
  const body = JSON.stringify({ key, reference: referenceOf(key) });
  const signature = hmacSha256Hex(Buffer.from(body), token);
  const headers = { 'content-type': 'application/json', 'callback-signature': signature };
  schedule(afterMs, () => {
    fetch(`${url}/callbacks/${corridor}`, { method: 'POST', headers, body })
      .then((response) => response.body?.cancel())
      .catch((err: unknown) => log.warn({ key, err }, 'a callback was not sent'));
  });
}
