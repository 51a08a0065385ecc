// Mutations of outgoing calls: to internal addresses, or after their timeout (decision 114).
import type { Mutation } from '../mutation';

export const ADDRESS_MUTATIONS: readonly Mutation[] = [
  {
    name: 'an IP address written in a URL is not checked',
    file: 'src/http/outbound.ts',
    find: 'if (rejection !== undefined) throw new Error(rejection);',
    replace: '',
    tests: ['test/http/partner-outbound.test.ts'],
    mustFail: 'in prod 127.0.0.1 is not connected to, and the failure says why',
  },
  {
    name: 'the IP addresses of a host name are not checked',
    file: 'src/http/name-lookup.ts',
    find: 'const allowed = checked.filter(({ rejection }) => rejection === undefined);',
    replace: 'const allowed = checked;',
    tests: ['test/http/partner-outbound.test.ts'],
    mustFail: 'in prod inward.test is not connected to, and the failure says why',
  },
  {
    name: 'an IPv4 address written as 6to4 is accepted',
    file: 'src/http/denied-addresses.ts',
    find: "  ['6to4', '2002::/16', 'RFC 3056'],\n",
    replace: '',
    tests: ['test/http/denied-addresses.test.ts'],
    mustFail: 'an IPv4 address written as 6to4 is never public',
  },
  {
    name: 'prod calls the networks in PARTNER_NETWORKS',
    file: 'src/http/partner-addresses.ts',
    find: 'isSandbox ? (rules.networks ?? []) : []',
    replace: 'rules.networks ?? []',
    tests: ['test/http/partner-addresses.test.ts'],
    mustFail: 'PARTNER_NETWORKS is ignored',
  },
  {
    name: 'a request is sent after its timeout, when its caller no longer waits',
    file: 'src/http/exchange.ts',
    find: '      outgoing.destroy();\n',
    replace: '',
    tests: ['test/http/outbound.test.ts'],
    mustFail: 'and makes no connection after that',
  },
];
