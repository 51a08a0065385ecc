// Partners' published key sets (spec, "Partner key-set endpoint"; decision 110). `jose` turns a key into one that
// verifies; the cache around it is ours, since jose waits 30 s between refetches where the specification says once, at once.
import { importJWK, type CryptoKey } from 'jose';
import { z } from 'zod';
import {
  KEY_SET_FRESH_SECONDS,
  KEY_SET_REFETCH_BUCKET,
  KEY_SET_REFETCH_EVERY_SECONDS,
  RSA_MODULUS_MIN_BITS,
} from '../../src/domain/limits';
import type { Clock } from '../../src/ports/clock';
import type { KeySetFetcher } from '../../src/ports/key-set-fetcher';
import type { Log } from '../../src/ports/log';
import type { Metrics } from '../../src/ports/metrics';

export interface KeySets {
  /** The key with this `kid` in the set at a registered URL, or undefined. Never throws. */
  findKey(jwksUrl: string, kid: string): Promise<CryptoKey | undefined>;
}

type KeySet = ReadonlyMap<string, CryptoKey>;

interface Entry {
  keys: KeySet;
  fetchedMs: number;
  /** Refetches left before their time, and when they were counted last: a flood of unknown `kid`s drains this first. */
  refetches: number;
  countedMs: number;
  fetching: Promise<void> | undefined;
}

interface KeySetsOptions {
  readonly fetcher: KeySetFetcher;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'keySetAsked'>;
}

const SETS_KEPT_MAX = 10_000;

export function createKeySets({ fetcher, clock, log, metrics }: KeySetsOptions): KeySets {
  const entries = new Map<string, Entry>();
  const nowMs = () => clock.now().getTime();
  const find = (entry: Entry, kid: string) =>
    nowMs() - entry.fetchedMs < KEY_SET_FRESH_SECONDS * 1_000 ? entry.keys.get(kid) : undefined;
  const fetchSet = async (entry: Entry, jwksUrl: string) => {
    const isFirst = nowMs() - entry.fetchedMs >= KEY_SET_FRESH_SECONDS * 1_000;
    try {
      entry.keys = await readKeySet(await fetcher.fetchKeySet(jwksUrl));
      entry.fetchedMs = nowMs();
      metrics.keySetAsked(isFirst ? 'fetched' : 'refetched');
    } catch (error) {
      // Within its ten minutes the old set goes on serving, whatever became of the refetch.
      metrics.keySetAsked('failed');
      log.warn({ err: error, jwks_url: jwksUrl }, 'key set not fetched');
    }
  };
  const refresh = (entry: Entry, jwksUrl: string): Promise<void> => {
    if (!takeRefetch(entry, nowMs())) {
      metrics.keySetAsked('throttled');
      return Promise.resolve();
    }
    const fetching = fetchSet(entry, jwksUrl).finally(() => {
      entry.fetching = undefined;
    });
    entry.fetching = fetching;
    return fetching;
  };
  return {
    async findKey(jwksUrl, kid) {
      const entry = entries.get(jwksUrl) ?? newEntry(nowMs());
      remember(entries, jwksUrl, entry);
      const known = find(entry, kid);
      if (known !== undefined) {
        metrics.keySetAsked('hit');
        return known;
      }
      // A fetch that is under way may bring the key. If not, it may have begun before the key was published: one more,
      // which everybody shares who waited.
      await entry.fetching;
      const found = find(entry, kid);
      if (found !== undefined) return found;
      await (entry.fetching ?? refresh(entry, jwksUrl));
      return find(entry, kid);
    },
  };
}

function newEntry(nowMs: number): Entry {
  return {
    keys: new Map(),
    fetchedMs: Number.NEGATIVE_INFINITY,
    refetches: KEY_SET_REFETCH_BUCKET,
    countedMs: nowMs,
    fetching: undefined,
  };
}

function remember(entries: Map<string, Entry>, jwksUrl: string, entry: Entry): void {
  entries.delete(jwksUrl);
  entries.set(jwksUrl, entry);
  const oldest = entries.keys().next();
  if (entries.size > SETS_KEPT_MAX && oldest.done === false) entries.delete(oldest.value);
}

/** Ten at once, one back every six seconds: a flood costs the partner a handful of fetches, and good keys keep working. */
function takeRefetch(entry: Entry, nowMs: number): boolean {
  const back = Math.floor((nowMs - entry.countedMs) / (KEY_SET_REFETCH_EVERY_SECONDS * 1_000));
  entry.refetches = Math.min(KEY_SET_REFETCH_BUCKET, entry.refetches + back);
  entry.countedMs += back * KEY_SET_REFETCH_EVERY_SECONDS * 1_000;
  if (entry.refetches === 0) return false;
  entry.refetches -= 1;
  return true;
}

/** "`use` = `sig`, `kty` = `RSA`, `alg` = `RS256`, a `kid` …, and the RSA modulus `n` and exponent `e`." */
const jwkSchema = z.object({
  kty: z.literal('RSA'),
  use: z.literal('sig'),
  alg: z.literal('RS256'),
  kid: z.string().min(1).max(256),
  n: z.base64url(),
  e: z.base64url(),
});

const setSchema = z.object({ keys: z.array(z.unknown()).max(100) });

/** Keys that are not of the specified form are passed over; a `kid` that two keys claim is nobody's. */
async function readKeySet(published: unknown): Promise<KeySet> {
  const jwks = setSchema.parse(published).keys.flatMap((key) => {
    const parsed = jwkSchema.safeParse(key);
    return parsed.success && modulusBits(parsed.data.n) >= RSA_MODULUS_MIN_BITS
      ? [parsed.data]
      : [];
  });
  const isAmbiguous = (kid: string) => jwks.filter((jwk) => jwk.kid === kid).length > 1;
  const keys = new Map<string, CryptoKey>();
  for (const jwk of jwks.filter(({ kid }) => !isAmbiguous(kid))) {
    const key = await importJWK({ kty: jwk.kty, n: jwk.n, e: jwk.e, alg: jwk.alg }, 'RS256');
    if (!(key instanceof Uint8Array)) keys.set(jwk.kid, key);
  }
  // "At least one active key": a set without any is a mistake, and takes nothing away from the one at hand.
  if (keys.size === 0) throw new Error('the key set has no key that is RSA, RS256, for signatures');
  return keys;
}

function modulusBits(n: string): number {
  const bytes = Buffer.from(n, 'base64url');
  const first = bytes.findIndex((byte) => byte !== 0);
  return first === -1 ? 0 : (bytes.length - first) * 8 - Math.clz32(bytes[first] ?? 0) + 24;
}
