// Mistakes about calls that leave the house: inwards, or after their time (decision 114).
import type { TestMutation } from '../mutation';

export const ADDRESS_MISTAKES: readonly TestMutation[] = [
  {
    name: 'an address that is written in a URL is not judged',
    file: 'src/http/outbound.ts',
    find: 'if (rejection !== undefined) throw new Error(rejection);',
    replace: '',
    tests: ['test/http/partner-outbound.test.ts'],
    mustFail: 'in prod 127.0.0.1 is not connected to, and the failure says why',
  },
  {
    name: 'the addresses of a name are not judged',
    file: 'src/http/name-lookup.ts',
    find: 'const allowed = judged.filter(({ rejection }) => rejection === undefined);',
    replace: 'const allowed = judged;',
    tests: ['test/http/partner-outbound.test.ts'],
    mustFail: 'in prod inward.test is not connected to, and the failure says why',
  },
  {
    name: 'an IPv4 address written as 6to4 passes',
    file: 'src/http/denied-addresses.ts',
    find: "  ['6to4', '2002::/16', 'RFC 3056'],\n",
    replace: '',
    tests: ['test/http/denied-addresses.test.ts'],
    mustFail: 'an IPv4 address written as 6to4 is public for nobody',
  },
  {
    name: 'prod calls what PARTNER_NETWORKS names',
    file: 'src/http/partner-addresses.ts',
    find: 'isSandbox ? (rules.networks ?? []) : []',
    replace: 'rules.networks ?? []',
    tests: ['test/http/partner-addresses.test.ts'],
    mustFail: 'what PARTNER_NETWORKS names is no exception',
  },
  {
    name: 'sent after its time, when nobody waits for the answer any more',
    file: 'src/http/exchange.ts',
    find: '...{ method, signal, headers:',
    replace: '...{ method, headers:',
    tests: ['test/http/outbound.test.ts'],
    mustFail: 'and sends nothing after that, though the connection comes about',
  },
];
