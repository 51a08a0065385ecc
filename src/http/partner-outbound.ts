// The HTTP client for partner URLs: key sets and webhooks. Denied addresses are rejected both as
// written in the URL and in the look-up of the connection itself (decision 114).
import { createNameLookup, type NameServers } from './name-lookup';
import { createOutbound, type Outbound } from './outbound';
import { createPartnerAddresses, type PartnerAddressRules } from './partner-addresses';

export function createPartnerOutbound(
  rules: PartnerAddressRules,
  nameServers: NameServers = {},
): Outbound {
  const addresses = createPartnerAddresses(rules);
  return createOutbound({
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
