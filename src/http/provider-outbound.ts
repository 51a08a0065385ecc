// The client for payout providers. Operators give their addresses, which may be in a hosts file or a search domain, so it calls
// any address. An order that was given up must not arrive later, so its connections end by a reset.
import { PAYOUT_ATTEMPT_TIMEOUT_MS } from '../domain/limits';
import { createOutbound, type Outbound } from './outbound';
import { createResettingConnect } from './resetting-connect';

export function createProviderOutbound(): Outbound {
  return createOutbound({ connect: createResettingConnect(PAYOUT_ATTEMPT_TIMEOUT_MS) });
}
