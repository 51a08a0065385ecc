// A worker's calls to a payout provider as a process of its own: it can be frozen, and it trusts the certificate that its
// environment names. It is sent one call at a time and sends back the outcome.
import { createPayoutProvider } from '../../src/http/payout-provider';
import { createProviderOutbound } from '../../src/http/provider-outbound';
import { startStopwatch } from '../../src/main/stopwatch';
import type { PayoutOrder } from '../../src/ports/payouts/provider';

export interface CallerMessage {
  readonly call: 'pay' | 'find';
  readonly baseUrl: string;
  readonly token: string;
  readonly order: PayoutOrder;
  /** Of `pay`: later than this after the message nothing is sent. */
  readonly sentWithinMs: number;
}

const outbound = createProviderOutbound();

process.on('message', (message: CallerMessage) => {
  void answer(message).then((outcome) => process.send?.(outcome));
});

function answer({ call, baseUrl, token, order, sentWithinMs }: CallerMessage) {
  const elapsedMs = startStopwatch();
  const provider = createPayoutProvider(outbound, { baseUrl, token });
  return call === 'find'
    ? provider.find(order)
    : provider.pay(order, { isInTime: () => elapsedMs() <= sentWithinMs, timeoutMs: 5_000 });
}
