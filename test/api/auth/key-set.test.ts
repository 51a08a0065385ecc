// Protocol 4.6; decision 110, the key-set cache.
import { createKeySets, type KeySets } from '../../../api/auth/key-set';
import { knownPartnerId } from '../../../src/postgres/intents/row';
import { createMemoryKeySets } from '../../support/app';
import { createTestClock, NOON, secondsAfter } from '../../support/clock';
import { aSessionKey } from '../../support/payments/partner';
import { SILENT } from '../../support/silent-log';

const URL = 'https://acme.example/.well-known/jwks.json';
const ACME = { partnerId: knownPartnerId('acme'), jwksUrl: URL };
const [one, two] = [aSessionKey('one'), aSessionKey('two')];

/** What is found at the address, in the memory that is held to the port's contract (test/contracts). */
function publish(keys: unknown) {
  const memory = createMemoryKeySets([]);
  const state = { keys, isDown: false };
  const show = () => {
    if (state.isDown) memory.published.delete(URL);
    else memory.published.set(URL, { keys: state.keys });
  };
  show();
  return {
    fetcher: memory,
    get fetches() {
      return memory.fetched.length;
    },
    set keys(next: unknown) {
      state.keys = next;
      show();
    },
    set isDown(isDown: boolean) {
      state.isDown = isDown;
      show();
    },
  };
}

const outcomes: string[] = [];
let published: ReturnType<typeof publish>;
let clock: ReturnType<typeof createTestClock>;
let keySets: KeySets;

beforeEach(() => {
  outcomes.length = 0;
  published = publish([one.jwk]);
  clock = createTestClock();
  keySets = createKeySets({
    clock,
    log: SILENT,
    metrics: { keySetLookedUp: (outcome) => outcomes.push(outcome) },
    fetcher: published.fetcher,
  });
});

const find = (kid: string) => keySets.findKey(ACME, kid);
const after = (seconds: number) => {
  clock.turnTo(secondsAfter(NOON, seconds));
};

describe('a key set', () => {
  it('is fetched once and cached for ten minutes', async () => {
    await expect(find('one')).resolves.toBeDefined();
    after(599.999);
    await expect(find('one')).resolves.toBeDefined();
    expect(published.fetches).toBe(1);
    after(600);
    await expect(find('one')).resolves.toBeDefined();
    expect(published.fetches).toBe(2);
  });

  it('is refetched once, at once, for an unknown kid: a rotated key works immediately', async () => {
    await find('one');
    published.keys = [one.jwk, two.jwk];
    await expect(find('two')).resolves.toBeDefined();
    expect(published.fetches).toBe(2);
  });

  it('no longer serves a key that a refetch did not find', async () => {
    await find('one');
    published.keys = [two.jwk];
    await find('two');
    await expect(find('one')).resolves.toBeUndefined();
  });

  it('costs one fetch for a hundred callers at once', async () => {
    const found = await Promise.all(Array.from({ length: 100 }, () => find('one')));
    expect(found.every((key) => key !== undefined)).toBe(true);
    expect(published.fetches).toBe(1);
  });

  it('goes on serving while refetches fail, until its ten minutes are over', async () => {
    await find('one');
    published.isDown = true;
    await expect(find('two')).resolves.toBeUndefined();
    await expect(find('one')).resolves.toBeDefined();
    after(600);
    await expect(find('one')).resolves.toBeUndefined();
  });

  it('is fetched again by who waited for a fetch that began too early, and by all of them once', async () => {
    const early = find('one');
    while (published.fetches === 0) await Promise.resolve();
    published.keys = [one.jwk, two.jwk];
    const later = [find('two'), find('two'), find('two')];
    await expect(early).resolves.toBeDefined();
    const found = await Promise.all(later);
    expect(found.every((key) => key !== undefined)).toBe(true);
    expect(published.fetches).toBe(2);
  });

  it('without any usable key is a mistake: what is remembered goes on serving', async () => {
    await find('one');
    published.keys = [];
    await expect(find('two')).resolves.toBeUndefined();
    await expect(find('one')).resolves.toBeDefined();
    expect(outcomes).toEqual(['fetched', 'failed', 'hit']);
  });

  it('tells the metrics what became of each look-up', async () => {
    await find('one');
    await find('one');
    await find('two');
    published.isDown = true;
    for (let index = 0; index < 9; index += 1) await find('two');
    expect(outcomes.slice(0, 3)).toEqual(['fetched', 'hit', 'refetched']);
    expect(outcomes.slice(3)).toEqual([...Array<string>(8).fill('failed'), 'throttled']);
  });

  it('is there again once the partner’s address answers again', async () => {
    published.isDown = true;
    await expect(find('one')).resolves.toBeUndefined();
    published.isDown = false;
    await expect(find('one')).resolves.toBeDefined();
  });

  it('of one address says nothing about another', async () => {
    await find('one');
    await keySets.findKey({ ...ACME, jwksUrl: 'https://other.example/jwks.json' }, 'one');
    expect(published.fetches).toBe(2);
  });
});

it('a key set does not go to another partner with its address', async () => {
  await find('one');
  published.keys = [two.jwk];
  const heir = { ...ACME, partnerId: knownPartnerId('heir') };
  await expect(keySets.findKey(heir, 'one')).resolves.toBeUndefined();
});

describe('a clock that is turned back', () => {
  it('refills no bucket', async () => {
    for (let index = 0; index < 50; index += 1) await find(`random-${String(index)}`);
    const drained = published.fetches;
    after(-7);
    for (let index = 0; index < 50; index += 1) await find(`later-${String(index)}`);
    expect(published.fetches).toBe(drained);
  });

  it('makes no set live longer', async () => {
    await find('one');
    published.keys = [two.jwk];
    after(-3_600);
    await expect(find('one')).resolves.toBeUndefined();
  });
});

describe('a flood of unknown kids', () => {
  it('of a thousand, one after the other, costs the partner ten fetches, and the good key still works', async () => {
    await find('one');
    for (let index = 0; index < 1_000; index += 1) await find(`random-${String(index)}`);
    expect(published.fetches).toBeLessThanOrEqual(11);
    await expect(find('one')).resolves.toBeDefined();
  });

  it('of a thousand at once costs a handful of fetches', async () => {
    await find('one');
    await Promise.all(Array.from({ length: 1_000 }, (_, index) => find(`random-${String(index)}`)));
    expect(published.fetches).toBeLessThanOrEqual(11);
  });

  it('lets one fetch more through every six seconds', async () => {
    for (let index = 0; index < 50; index += 1) await find(`random-${String(index)}`);
    const drained = published.fetches;
    after(5.999);
    await find('unknown');
    expect(published.fetches).toBe(drained);
    after(6);
    await Promise.all([find('unknown'), find('unknown')]);
    await find('unknown');
    expect(published.fetches).toBe(drained + 1);
  });

  it('does not keep a rotated key out for longer than six seconds', async () => {
    await find('one');
    for (let index = 0; index < 50; index += 1) await find(`random-${String(index)}`);
    published.keys = [one.jwk, two.jwk];
    after(6);
    await expect(find('two')).resolves.toBeDefined();
  });

  it('against an address that is down costs no more than one that answers', async () => {
    published.isDown = true;
    for (let index = 0; index < 1_000; index += 1) await find('one');
    expect(published.fetches).toBeLessThanOrEqual(10);
  });
});

describe('a published key is passed over', () => {
  const small = aSessionKey('one', 1_024).jwk;

  it.each<[string, unknown]>([
    ['for encryption', [{ ...one.jwk, use: 'enc' }]],
    ['without use', [{ ...one.jwk, use: undefined }]],
    ['of another algorithm', [{ ...one.jwk, alg: 'RS512' }]],
    ['without alg', [{ ...one.jwk, alg: undefined }]],
    ['of another type', [{ ...one.jwk, kty: 'EC' }]],
    ['without kid', [{ ...one.jwk, kid: undefined }]],
    ['of less than 2048 bits', [small]],
    ['with an exponent of 1', [{ ...one.jwk, e: 'AQ' }]],
    ['with an exponent of 3', [{ ...one.jwk, e: 'Aw' }]],
    ['with an even exponent', [{ ...one.jwk, e: 'AQAC' }]],
    ['without an exponent', [{ ...one.jwk, e: '' }]],
    ['with an exponent of 5 bytes', [{ ...one.jwk, e: 'AQAAAAE' }]],
    ['with an even modulus', [{ ...one.jwk, n: Buffer.alloc(256, 0xfe).toString('base64url') }]],
    ['of more than 8192 bits', [{ ...one.jwk, n: Buffer.alloc(1_025, 1).toString('base64url') }]],
    ['padded to look like 2048 bits', [{ ...small, n: padded(small) }]],
    ['whose kid is claimed by two', [one.jwk, { ...two.jwk, kid: 'one' }]],
    ['whose modulus is no base64url', [{ ...one.jwk, n: '***' }]],
    ['that is no object', ['one', null, 7]],
    ['in a set that is no list', { one: one.jwk }],
  ])('%s', async (_name, keys) => {
    published.keys = keys;
    await expect(find('one')).resolves.toBeUndefined();
  });

  it('behind the first hundred, and those serve all the same', async () => {
    const ninetyNine = Array.from({ length: 99 }, (_, n) => ({ kid: `other ${String(n)}` }));
    published.keys = [...ninetyNine, one.jwk, two.jwk];
    await expect(find('one')).resolves.toBeDefined();
    await expect(find('two')).resolves.toBeUndefined();
  });

  it.each([
    ['of 256 characters serves', '💡'.repeat(256), true],
    ['of 257 characters does not', 'k'.repeat(257), false],
  ])('whose kid is one %s', async (_name, kid, isFound) => {
    published.keys = [{ ...one.jwk, kid }];
    expect((await find(kid)) !== undefined).toBe(isFound);
  });

  it('and the good ones beside it serve', async () => {
    published.keys = [{ kid: 'bad' }, one.jwk, null];
    await expect(find('one')).resolves.toBeDefined();
  });
});

function padded({ n = '' }: { readonly n?: unknown }): string {
  const modulus = Buffer.from(String(n), 'base64url');
  return Buffer.concat([Buffer.alloc(256 - modulus.length), modulus]).toString('base64url');
}
