// The HTTP client for payout providers. Operators configure the address, so any address is allowed,
// also one from a hosts file or search domain. Its connections end by a reset, because an order
// that timed out must not arrive later.
import { PAYOUT_ATTEMPT_TIMEOUT_MS } from '../domain/limits';
import { createOutbound, type Outbound } from './outbound';
import { createResettingConnect } from './resetting-connect';

export function createProviderOutbound(): Outbound {
  return createOutbound({ connect: createResettingConnect(PAYOUT_ATTEMPT_TIMEOUT_MS) });
}
