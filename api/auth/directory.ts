// The cache of partners, keys and issuers (decision 112). It holds all of them, so known, unknown
// and revoked keys take the same time. A request is rejected only on data read after it arrived.
import { setImmediate as endOfTurn } from 'node:timers/promises';
import type { Log } from '../../src/ports/observe';
import type { DirectorySnapshot, PartnerDirectory, SigningKey } from '../../src/ports/partners';
import { createAddressMatcher } from './source-address';

/** A signing key. Its secret is unsealed, and its address list compiled, at first use. */
export interface KnownKey extends Omit<SigningKey, 'openSecret' | 'allowedNetworks'> {
  /** Undefined when unsealing the secret fails: the key is then rejected, and the log says why. */
  readonly secret: () => string | undefined;
  readonly isAddressAllowed: (address: string) => boolean;
}

export interface KnownPartners extends Omit<DirectorySnapshot, 'keys'> {
  readonly keys: ReadonlyMap<string, KnownKey>;
}

export type Directory = ReturnType<typeof createDirectory>;

/**
 * What the statement that records nonces refuses on newer data was withdrawn within the last
 * minute, of which a request may take 10 s.
 */
const CACHED_MAX_MS = 50_000;

export function createDirectory(
  partners: PartnerDirectory,
  log: Log,
  nowMs = () => performance.now(),
) {
  let known: KnownPartners | undefined;
  let readAtMs = 0;
  const refreshed = createSharedCall(async () => {
    const [previous, startedMs] = [known, nowMs()];
    const isCurrent = previous?.version === (await partners.readVersion());
    const current = isCurrent ? previous : toKnownPartners(await partners.read(), log);
    [known, readAtMs] = [current, startedMs];
    return current;
  });
  return {
    /** The last snapshot, at most 50 s old, which may be out of date. */
    cached: async (): Promise<KnownPartners> =>
      known !== undefined && nowMs() - readAtMs < CACHED_MAX_MS ? known : refreshed(),
    /** A snapshot from a read that began after this call. Simultaneous callers share the read. */
    refreshed,
  };
}

function toKnownPartners({ version, keys, issuers }: DirectorySnapshot, log: Log): KnownPartners {
  return {
    version,
    keys: new Map([...keys].map(([keyId, key]) => [keyId, toKnownKey(key, log)])),
    issuers,
  };
}

function toKnownKey({ openSecret, allowedNetworks, ...key }: SigningKey, log: Log): KnownKey {
  let opened: { readonly secret: string | undefined } | undefined;
  let isAllowed: ((address: string) => boolean) | undefined;
  const open = () => {
    try {
      return { secret: openSecret() };
    } catch (error) {
      log.error({ err: error, key_id: key.keyId }, 'the secret of a signing key is not unsealed');
      return { secret: undefined };
    }
  };
  return {
    ...key,
    secret: () => (opened ??= open()).secret,
    isAddressAllowed: (address) => (isAllowed ??= createAddressMatcher(allowedNetworks))(address),
  };
}

/**
 * Shares one call of `work` between callers. At most one call is in progress at any time.
 * @returns a function that resolves with a call of `work` that begins after it was requested: when
 * the call in progress has finished, or else at the end of this event loop turn, so that other
 * requests of the same turn share it
 */
function createSharedCall<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let underWay: Promise<unknown> | undefined;
  let next: Promise<Result> | undefined;
  const begin = () => {
    next = undefined;
    const begun = work();
    underWay = begun.catch(() => undefined).finally(() => (underWay = undefined));
    return begun;
  };
  return () => (next ??= (underWay ?? endOfTurn()).then(begin));
}
