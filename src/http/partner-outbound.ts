// The HTTP client for partner URLs: key sets and webhooks. Denied addresses are rejected both as
// written in the URL and in the look-up of the connection itself (decision 114).
import { createNameLookup, type NameServers } from './name-lookup';
import { createOutbound, type Outbound } from './outbound';
import { createPartnerAddresses, type PartnerAddressRules } from './partner-addresses';

/**
 * Above what one worker sends at once (200 activities, 128 of the poller, 50 in workflow tasks):
 * partners may share a host, and one that answers slowly must not make the webhooks of others wait.
 */
const CONNECTIONS_PER_ORIGIN = 512;

export function createPartnerOutbound(
  rules: PartnerAddressRules,
  nameServers: NameServers = {},
): Outbound {
  const addresses = createPartnerAddresses(rules);
  return createOutbound({
    connectionsPerOrigin: CONNECTIONS_PER_ORIGIN,
    guard: {
      rejectionOfUrl: (url) => addresses.rejectionOfUrl(url),
      lookupFor: (protocol) =>
        createNameLookup({
          ...nameServers,
          rejectionOf: (address) => addresses.rejectionOf(address, protocol),
        }),
    },
  });
}
