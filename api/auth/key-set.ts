// The cache of partners' key sets (protocol 4.6; decision 110). jose's own cache does not fit: it
// waits 30 s between refetches, where the protocol refetches at once.
import { LRUCache } from 'lru-cache';
import {
  KEY_SET_FRESH_SECONDS,
  KEY_SET_REFETCH_BUCKET,
  KEY_SET_REFETCH_EVERY_SECONDS,
} from '../../src/domain/limits';
import type { Clock } from '../../src/ports/clock';
import type { KeySetFetcher, TokenIssuer } from '../../src/ports/partners';
import type { Log, Metrics } from '../../src/ports/observe';
import {
  readKeySet,
  REVEALED,
  type PublishedKeys,
  type SkippedKey,
} from '../../src/signing/published-keys';
import type { FoundKey } from '../../src/signing/token-checks';

export type KeySets = ReturnType<typeof createKeySets>;

/**
 * Sets are cached per partner and URL: a URL that moves to another partner brings no keys along.
 */
type SetOwner = Pick<TokenIssuer, 'partnerId' | 'jwksUrl'>;

interface Entry {
  keys: PublishedKeys;
  /** Why the last fetch failed: then a key that was published since is unknown here. */
  failure: string | undefined;
  fetchedMs: number;
  /** Refetches left; a flood of unknown `kid`s uses them up. */
  refetches: number;
  /** When `refetches` was last refilled. */
  refilledMs: number;
  fetching: Promise<void> | undefined;
}

interface KeySetsOptions {
  readonly fetcher: KeySetFetcher;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'keySetLookedUp' | 'keySkipped'>;
}

const SETS_CACHED_MAX = 10_000;

export function createKeySets({ fetcher, clock, log, metrics }: KeySetsOptions) {
  const entries = new LRUCache<string, Entry>({ max: SETS_CACHED_MAX });
  const nowMs = () => clock.now().getTime();
  const find = (entry: Entry, kid: string) =>
    isFresh(entry, nowMs()) ? entry.keys.get(kid) : undefined;
  const fetchSet = async (entry: Entry, jwksUrl: string) => {
    const isStale = !isFresh(entry, nowMs());
    try {
      const report = reportSkipped(jwksUrl, log, metrics);
      entry.keys = readKeySet(await fetcher.fetchKeySet(jwksUrl), report);
      entry.fetchedMs = nowMs();
      entry.failure = undefined;
      metrics.keySetLookedUp(isStale ? 'fetched' : 'refetched');
    } catch (error) {
      // The old set stays valid for its ten minutes, even if a refetch fails.
      entry.failure = error instanceof Error ? error.message : String(error);
      metrics.keySetLookedUp('failed');
      log.warn({ err: error, jwks_url: jwksUrl }, 'key set not fetched');
    }
  };
  const refresh = (entry: Entry, jwksUrl: string): Promise<void> => {
    if (!consumeRefetch(entry, nowMs())) {
      metrics.keySetLookedUp('throttled');
      return Promise.resolve();
    }
    entry.fetching = fetchSet(entry, jwksUrl).finally(() => (entry.fetching = undefined));
    return entry.fetching;
  };
  return {
    /** Why the last fetch failed; undefined if it did not. */
    failureOf: (owner: SetOwner) => entries.get(entryOf(owner))?.failure,
    /** The key with this `kid` in the issuer's registered key set. Never throws. */
    async findKey(owner: SetOwner, kid: string): Promise<FoundKey> {
      const entry = entries.get(entryOf(owner)) ?? newEntry(nowMs());
      entries.set(entryOf(owner), entry);
      const known = find(entry, kid);
      if (known !== undefined) {
        metrics.keySetLookedUp('hit');
        return known;
      }
      // A fetch in progress may bring the key. If not, it may have begun before the key was
      // published: then fetch once more, shared by all callers that waited.
      await entry.fetching;
      const found = find(entry, kid);
      if (found !== undefined) return found;
      await (entry.fetching ?? refresh(entry, owner.jwksUrl));
      return find(entry, kid) ?? missing(entry);
    },
  };
}

function missing({ failure }: Entry): FoundKey {
  return failure === undefined ? 'kid_unknown' : 'key_set_not_fetched';
}

function entryOf({ partnerId, jwksUrl }: SetOwner): string {
  return `${partnerId} ${jwksUrl}`;
}

function reportSkipped(jwksUrl: string, log: Log, metrics: KeySetsOptions['metrics']) {
  return (skipped: readonly SkippedKey[]) => {
    for (const { why } of skipped) {
      metrics.keySkipped(why === REVEALED ? 'private_members' : 'not_usable');
    }
    if (skipped.length === 0) return;
    const keys = skipped.map(({ name, why }) => `${name}: ${why}`);
    log.warn({ jwks_url: jwksUrl, keys }, 'keys of a key set are skipped');
  };
}

function isFresh({ fetchedMs }: Entry, nowMs: number): boolean {
  const ageMs = nowMs - fetchedMs;
  return ageMs >= 0 && ageMs < KEY_SET_FRESH_SECONDS * 1_000;
}

function newEntry(nowMs: number): Entry {
  return {
    keys: new Map(),
    failure: undefined,
    fetchedMs: Number.NEGATIVE_INFINITY,
    refetches: KEY_SET_REFETCH_BUCKET,
    refilledMs: nowMs,
    fetching: undefined,
  };
}

/**
 * A token bucket: ten refetches at once, one more every six seconds. A flood of bad tokens then
 * costs the partner's server few fetches, and good keys keep working.
 */
function consumeRefetch(entry: Entry, nowMs: number): boolean {
  // A clock that was set back refills nothing and takes nothing away.
  if (nowMs < entry.refilledMs) entry.refilledMs = nowMs;
  const back = Math.floor((nowMs - entry.refilledMs) / (KEY_SET_REFETCH_EVERY_SECONDS * 1_000));
  entry.refetches = Math.min(KEY_SET_REFETCH_BUCKET, entry.refetches + back);
  entry.refilledMs += back * KEY_SET_REFETCH_EVERY_SECONDS * 1_000;
  if (entry.refetches === 0) return false;
  entry.refetches -= 1;
  return true;
}
