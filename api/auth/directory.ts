// What this process remembers of the partners (decision 112). All of it is in memory, so that a known key, an unknown one
// and a revoked one cost the same; and nobody is refused by a memory that is older than the request.
import { setImmediate as endOfTurn } from 'node:timers/promises';
import type { Log } from '../../src/ports/log';
import type {
  DirectorySnapshot,
  PartnerDirectory,
  SigningKey,
} from '../../src/ports/partner-directory';
import { createAddressMatcher } from './source-address';

/** A signing key whose seal is opened, and whose networks are compiled, when they are first asked for. */
export interface KnownKey extends Omit<SigningKey, 'openSecret' | 'allowedNetworks'> {
  /** Undefined when its seal does not open: then the key is refused like any other, and the log says why. */
  readonly secret: () => string | undefined;
  readonly isAddressAllowed: (address: string) => boolean;
}

export interface KnownPartners extends Omit<DirectorySnapshot, 'keys'> {
  readonly keys: ReadonlyMap<string, KnownKey>;
}

export interface Directory {
  /** As it was when this process last looked. */
  remembered(): Promise<KnownPartners>;
  /** As it is: by a look that began after this call, shared by all who wait for one. */
  renewed(): Promise<KnownPartners>;
}

export function createDirectory(partners: PartnerDirectory, log: Log): Directory {
  let known: KnownPartners | undefined;
  const renewed = createSharedCall(async () => {
    const held = known;
    if (held?.version === (await partners.readVersion())) return held;
    known = toKnownPartners(await partners.read(), log);
    return known;
  });
  return {
    remembered: async () => known ?? renewed(),
    renewed,
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
      log.error({ err: error, key_id: key.keyId }, 'the secret of a signing key does not open');
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
 * @param run at most one is under way at any time
 * @returns a function that answers with a run which begins after the call: at the end of this turn of the event loop, so that
 * the other requests of the turn share it, or when the one that is under way has ended
 */
function createSharedCall<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let underWay: Promise<unknown> | undefined;
  let next: Promise<Result> | undefined;
  const begin = () => {
    next = undefined;
    const begun = run();
    underWay = begun.catch(() => undefined).finally(() => (underWay = undefined));
    return begun;
  };
  return () => (next ??= (underWay ?? endOfTurn()).then(begin));
}
