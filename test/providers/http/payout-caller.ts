// Calls a payout provider from a separate process, which a test can freeze and which trusts the
// certificate in its environment. It receives one call at a time and sends back the outcome.
import { createHttpProvider } from '../../../src/providers/http/provider';
import { createProviderOutbound } from '../../../src/http/provider-outbound';
import { startStopwatch } from '../../../src/main/stopwatch';
import type { PayoutOrder } from '../../../src/ports/payout-provider';

export interface CallerMessage {
  readonly call: 'pay' | 'find';
  readonly baseUrl: string;
  readonly token: string;
  readonly order: PayoutOrder;
  /** For `pay`: nothing is sent later than this after the message. */
  readonly sentWithinMs: number;
}

const outbound = createProviderOutbound();

process.on('message', (message: CallerMessage) => {
  void answer(message).then((outcome) => process.send?.(outcome));
});

function answer({ call, baseUrl, token, order, sentWithinMs }: CallerMessage) {
  const elapsedMs = startStopwatch();
  const provider = createHttpProvider(outbound, { baseUrl, token });
  return call === 'find'
    ? provider.find(order)
    : provider.pay(order, { isInTime: () => elapsedMs() <= sentWithinMs, timeoutMs: 5_000 });
}
