// Resolves host names of partner URLs with c-ares (decision 110). The system's look-up uses libuv's
// four threads, so two partners with silent name servers would block every other look-up, such as
// that for Postgres. c-ares does not read the hosts file, search domains or nsswitch: names that
// need these need the system's look-up.
import { ADDRCONFIG, type LookupAddress, type LookupOptions } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { systemCodeOf } from '../domain/errors';
import { isLocalhost } from './denied-addresses';

export interface NameServers {
  /** For the whole look-up, both families and all tries. Keep it below the timeout of any call. */
  readonly timeoutMs?: number;
  /** `host:port` of the name servers; default: the system's. */
  readonly servers?: readonly string[];
  /** Whether this machine has IPv6 at all. */
  readonly hasIpv6?: () => boolean;
}

interface NameLookupOptions extends NameServers {
  /**
   * Why an address is denied; undefined when it is allowed. Default: all allowed (decision 114).
   */
  readonly rejectionOf?: (address: string) => string | undefined;
}

/** All addresses of the name are denied. The message says why the first one is. */
export class AddressRejected extends Error {
  override name = 'AddressRejected';
}

const TIMEOUT_MS = 3_000;
/** Per try: after a lost packet there is time for another try. */
const TRY_MS = 700;
const TRIES = 3;

const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * A `lookup` function for node:net. It fails with AddressRejected, or with code
 * `ENOTFOUND` or, when a retry may help, `EAI_AGAIN`.
 */
export function createNameLookup(options: NameLookupOptions): LookupFunction {
  return (name, wanted, callback) => {
    findAddresses(name, wanted, options).then(
      (found) => {
        const [first] = found;
        if (wanted.all === true) callback(null, [...found]);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: unknown) =>
        callback(error instanceof AddressRejected ? error : toLookupError(name, error), ''),
    );
  };
}

async function findAddresses(
  name: string,
  { hints = 0 }: LookupOptions,
  options: NameLookupOptions,
): Promise<readonly LookupAddress[]> {
  const found = isLocalhost(name) ? LOOPBACK : await queryServers(name, options);
  const allowed = withoutDenied(found, options);
  const { hasIpv6 = hasIpv6Address } = options;
  return (hints & ADDRCONFIG) !== 0 && !hasIpv6() ? preferIpv4(allowed) : allowed;
}

/**
 * Removes denied addresses. The connection uses exactly the result, so a second look-up cannot
 * return another address. Addresses written in a URL do not pass here, because node:net looks up
 * only names.
 */
function withoutDenied(
  found: readonly LookupAddress[],
  { rejectionOf = () => undefined }: NameLookupOptions,
): readonly LookupAddress[] {
  const checked = found.map((one) => ({ one, rejection: rejectionOf(one.address) }));
  const allowed = checked.filter(({ rejection }) => rejection === undefined);
  if (allowed.length === 0) throw new AddressRejected(checked[0]?.rejection);
  return allowed.map(({ one }) => one);
}

/** Creates a resolver per name, because cancelling a resolver cancels all its queries. */
async function queryServers(
  name: string,
  { timeoutMs = TIMEOUT_MS, servers }: NameLookupOptions,
): Promise<readonly LookupAddress[]> {
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  const late = setTimeout(() => resolver.cancel(), timeoutMs);
  // IPv4 first, so that a network without working IPv6 costs no time.
  const answers = await Promise.allSettled([
    resolver.resolve4(name).then(addressesIn(4)),
    resolver.resolve6(name).then(addressesIn(6)),
  ]);
  clearTimeout(late);
  // One family is enough: name servers without IPv6 answer such queries with many kinds of errors.
  const found = answers.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  if (found.length > 0) return found;
  const failed = answers.filter((one) => one.status === 'rejected');
  throw worstOf(failed.map(({ reason }) => reason as unknown));
}

const addressesIn = (family: 4 | 6) => (addresses: readonly string[]) =>
  addresses.map((address) => ({ address, family }));

/**
 * Like the system's ADDRCONFIG: without it node:net would waste its short first attempt on IPv6.
 */
function preferIpv4(found: readonly LookupAddress[]): readonly LookupAddress[] {
  const ipv4 = found.filter(({ family }) => family === 4);
  return ipv4.length > 0 ? ipv4 : found;
}

function hasIpv6Address(): boolean {
  return Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(
      ({ family, internal, address }) =>
        family === 'IPv6' && !internal && !address.toLowerCase().startsWith('fe80:'),
    ),
  );
}

/** No such name, no address in that family, or not a name: a retry cannot help. */
const NO_SUCH_NAME: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/** Prefers a temporary error: if one family may still resolve, the name may. */
function worstOf(errors: readonly unknown[]): unknown {
  return errors.find((error) => !NO_SUCH_NAME.has(systemCodeOf(error))) ?? errors[0];
}

/** Hides a name server's ECONNREFUSED, which would look like one of the partner's server. */
function toLookupError(name: string, cause: unknown): NodeJS.ErrnoException {
  const code = NO_SUCH_NAME.has(systemCodeOf(cause)) ? 'ENOTFOUND' : 'EAI_AGAIN';
  return Object.assign(new Error(`lookup of ${name}: ${code}`, { cause }), {
    code,
    hostname: name,
    syscall: 'lookup',
  });
}
