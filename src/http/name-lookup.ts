// Names that partners give are asked for over c-ares (decision 110): the system's look-up waits in libuv's four threads,
// so two partners whose name servers are silent would hold up every other look-up, those for Postgres among them.
// The hosts file, search domains and nsswitch are not read: what relies on them needs the system's look-up.
import { ADDRCONFIG, type LookupAddress, type LookupOptions } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { isLocalhost } from './denied-addresses';

export interface NameServers {
  /** For both families together, however many servers and tries; below the time that any call has. */
  readonly timeoutMs?: number;
  /** `host:port` of the name servers; the system's unless told. */
  readonly servers?: readonly string[];
  /** Whether this machine has IPv6 at all. */
  readonly hasIpv6?: () => boolean;
}

interface NameLookupOptions extends NameServers {
  /** Why an address is not to be connected to; undefined when it may be. Any address may unless told (decision 114). */
  readonly rejectionOf?: (address: string) => string | undefined;
}

/** The name has addresses, and none that may be connected to. Its message says why, of the first of them. */
export class AddressRejected extends Error {
  override name = 'AddressRejected';
}

const TIMEOUT_MS = 3_000;
/** A lost packet is asked for again within the time that there is. */
const TRY_MS = 700;
const TRIES = 3;

const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * As the `lookup` of node:net and undici. What fails has one of two codes, `ENOTFOUND`, or `EAI_AGAIN` for now, or is an
 * AddressRejected.
 */
export function createNameLookup(options: NameLookupOptions = {}): LookupFunction {
  return (name, wanted, callback) => {
    findAddresses(name, wanted, options).then(
      (found) => {
        const [first] = found;
        if (wanted.all === true) callback(null, [...found]);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: unknown) => {
        callback(error instanceof AddressRejected ? error : toLookupError(name, error), '');
      },
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
 * Whatever comes out here is what is connected to; nothing is asked about again in between. What is written as an address in
 * a URL never comes by, since net asks about names only.
 */
function withoutDenied(
  found: readonly LookupAddress[],
  { rejectionOf = () => undefined }: NameLookupOptions,
): readonly LookupAddress[] {
  const judged = found.map((one) => ({ one, rejection: rejectionOf(one.address) }));
  const allowed = judged.filter(({ rejection }) => rejection === undefined);
  if (allowed.length === 0) throw new AddressRejected(judged[0]?.rejection);
  return allowed.map(({ one }) => one);
}

/** A resolver for each name: giving up on one cancels nothing of another. */
async function queryServers(
  name: string,
  { timeoutMs = TIMEOUT_MS, servers }: NameLookupOptions,
): Promise<readonly LookupAddress[]> {
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  const late = setTimeout(() => {
    resolver.cancel();
  }, timeoutMs);
  // IPv4 first: where IPv6 does not work, nothing is lost by trying it last.
  const asked = await Promise.allSettled([
    resolver.resolve4(name).then(addressesIn(4)),
    resolver.resolve6(name).then(addressesIn(6)),
  ]);
  clearTimeout(late);
  // One family is enough: name servers that know nothing of IPv6 fail in many ways when they are asked for it.
  const found = asked.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  if (found.length > 0) return found;
  throw worstOf(asked.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : [])));
}

const addressesIn = (family: 4 | 6) => (addresses: readonly string[]) =>
  addresses.map((address) => ({ address, family }));

/** As the system does when told ADDRCONFIG: net would spend its short first attempt and then fail on the other family. */
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

/** No such name, no address in that family, or no name at all: to ask again soon is of no use. */
const NO_SUCH_NAME: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

/** If one of the families may exist, the name may. */
function worstOf(errors: readonly unknown[]): unknown {
  return errors.find((error) => !NO_SUCH_NAME.has(codeOf(error))) ?? errors[0];
}

/** Never with a name server's own ECONNREFUSED, which would be taken for that of the partner. */
function toLookupError(name: string, cause: unknown): NodeJS.ErrnoException {
  const code = NO_SUCH_NAME.has(codeOf(cause)) ? 'ENOTFOUND' : 'EAI_AGAIN';
  return Object.assign(new Error(`lookup of ${name}: ${code}`, { cause }), {
    code,
    hostname: name,
    syscall: 'lookup',
  });
}
