// The client for addresses that partners give, key sets and webhooks: what may not be called is refused where it is
// written in the URL, and in the look-up that the connection itself makes (decision 114).
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
