// The key-set cache (protocol 4.6; decision 110).
import { KeyObject } from 'node:crypto';
import { createKeySets, type KeySets } from '../../../api/auth/key-set';
import { knownPartnerId } from '../../../src/postgres/intents/row';
import { createMemoryKeySets } from '../../support/app';
import { createTestClock, NOON, secondsAfter } from '../../support/clock';
import { aSessionKey } from '../../support/payments/partner';
import { SILENT } from '../../support/silent-log';

const URL = 'https://acme.example/.well-known/jwks.json';
const ACME = { partnerId: knownPartnerId('acme'), jwksUrl: URL };
const [one, two] = [aSessionKey('one'), aSessionKey('two')];

/** Publishes keys at the URL, in the in-memory fetcher that test/contracts holds to the port. */
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
const skipped: string[] = [];
const warnings: unknown[] = [];
let published: ReturnType<typeof publish>;
let clock: ReturnType<typeof createTestClock>;
let keySets: KeySets;

beforeEach(() => {
  for (const list of [outcomes, skipped, warnings]) list.length = 0;
  published = publish([one.jwk]);
  clock = createTestClock();
  keySets = createKeySets({
    clock,
    log: { ...SILENT, warn: (fields) => warnings.push(fields) },
    metrics: {
      keySetLookedUp: (outcome) => outcomes.push(outcome),
      keySkipped: (reason) => skipped.push(reason),
    },
    fetcher: published.fetcher,
  });
});

const find = (kid: string) => keySets.findKey(ACME, kid);
const after = (seconds: number) => {
  clock.turnTo(secondsAfter(NOON, seconds));
};

describe('a key set', () => {
  it('is fetched once and cached for ten minutes', async () => {
    await expect(find('one')).resolves.toBeInstanceOf(KeyObject);
    after(599.999);
    await expect(find('one')).resolves.toBeInstanceOf(KeyObject);
    expect(published.fetches).toBe(1);
    after(600);
    await expect(find('one')).resolves.toBeInstanceOf(KeyObject);
    expect(published.fetches).toBe(2);
  });

  it('is refetched at once for an unknown kid, so that a rotated key works', async () => {
    await find('one');
    published.keys = [one.jwk, two.jwk];
    await expect(find('two')).resolves.toBeInstanceOf(KeyObject);
    expect(published.fetches).toBe(2);
  });

  it('no longer has a key that a refetch did not return', async () => {
    await find('one');
    published.keys = [two.jwk];
    await find('two');
    await expect(find('one')).resolves.toBe('kid_unknown');
  });

  it('costs one fetch for a hundred callers at once', async () => {
    const found = await Promise.all(Array.from({ length: 100 }, () => find('one')));
    expect(found.every((key) => key instanceof KeyObject)).toBe(true);
    expect(published.fetches).toBe(1);
  });

  it('stays valid for its ten minutes while refetches fail', async () => {
    await find('one');
    published.isDown = true;
    await expect(find('two')).resolves.toBe('key_set_not_fetched');
    await expect(find('one')).resolves.toBeInstanceOf(KeyObject);
    after(600);
    await expect(find('one')).resolves.toBe('key_set_not_fetched');
  });

  it('is fetched once more for all callers whose fetch began too early', async () => {
    const early = find('one');
    while (published.fetches === 0) await Promise.resolve();
    published.keys = [one.jwk, two.jwk];
    const later = [find('two'), find('two'), find('two')];
    await expect(early).resolves.toBeInstanceOf(KeyObject);
    const found = await Promise.all(later);
    expect(found.every((key) => key instanceof KeyObject)).toBe(true);
    expect(published.fetches).toBe(2);
  });

  it('without a usable key does not replace the cached one', async () => {
    await find('one');
    published.keys = [];
    await expect(find('two')).resolves.toBe('key_set_not_fetched');
    await expect(find('one')).resolves.toBeInstanceOf(KeyObject);
    expect(outcomes).toEqual(['fetched', 'failed', 'hit']);
  });

  it('reports the outcome of each look-up to the metrics', async () => {
    await find('one');
    await find('one');
    await find('two');
    published.isDown = true;
    for (let index = 0; index < 9; index += 1) await find('two');
    expect(outcomes.slice(0, 3)).toEqual(['fetched', 'hit', 'refetched']);
    expect(outcomes.slice(3)).toEqual([...Array<string>(8).fill('failed'), 'throttled']);
  });

  it('is found again once the partner’s server answers again', async () => {
    published.isDown = true;
    await expect(find('one')).resolves.toBe('key_set_not_fetched');
    published.isDown = false;
    await expect(find('one')).resolves.toBeInstanceOf(KeyObject);
  });

  it('of one URL is not used for another', async () => {
    await find('one');
    await keySets.findKey({ ...ACME, jwksUrl: 'https://other.example/jwks.json' }, 'one');
    expect(published.fetches).toBe(2);
  });
});

it('a key set does not move to another partner with its URL', async () => {
  await find('one');
  published.keys = [two.jwk];
  const heir = { ...ACME, partnerId: knownPartnerId('heir') };
  await expect(keySets.findKey(heir, 'one')).resolves.toBe('kid_unknown');
});

describe('a clock that is set back', () => {
  it('does not refill the bucket', async () => {
    for (let index = 0; index < 50; index += 1) await find(`random-${String(index)}`);
    const drained = published.fetches;
    after(-7);
    for (let index = 0; index < 50; index += 1) await find(`later-${String(index)}`);
    expect(published.fetches).toBe(drained);
  });

  it('does not extend the life of a set', async () => {
    await find('one');
    published.keys = [two.jwk];
    after(-3_600);
    await expect(find('one')).resolves.toBe('kid_unknown');
  });
});

describe('a flood of unknown kids', () => {
  it('of a thousand in sequence causes at most 11 fetches, and a good key works', async () => {
    await find('one');
    for (let index = 0; index < 1_000; index += 1) await find(`random-${String(index)}`);
    expect(published.fetches).toBeLessThanOrEqual(11);
    await expect(find('one')).resolves.toBeInstanceOf(KeyObject);
  });

  it('of a thousand at once causes at most 11 fetches', async () => {
    await find('one');
    await Promise.all(Array.from({ length: 1_000 }, (_, index) => find(`random-${String(index)}`)));
    expect(published.fetches).toBeLessThanOrEqual(11);
  });

  it('allows one more fetch every six seconds', async () => {
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

  it('delays a rotated key by at most six seconds', async () => {
    await find('one');
    for (let index = 0; index < 50; index += 1) await find(`random-${String(index)}`);
    published.keys = [one.jwk, two.jwk];
    after(6);
    await expect(find('two')).resolves.toBeInstanceOf(KeyObject);
  });

  it('against a URL that is down causes at most ten fetches', async () => {
    published.isDown = true;
    for (let index = 0; index < 1_000; index += 1) await find('one');
    expect(published.fetches).toBeLessThanOrEqual(10);
  });
});

describe('a skipped key', () => {
  it('is logged with its reason, and counted', async () => {
    published.keys = [{ ...one.jwk, use: 'enc' }, { ...two.jwk, dp: 'AQAB' }, one.jwk, two.jwk];
    await expect(find('one')).resolves.toBeInstanceOf(KeyObject);
    const keys = [
      'key 1 "one": its use is not sig',
      'key 2 "two": its private members are published: anybody can sign',
      'key 4 "two": its private members are published: anybody can sign',
    ];
    expect(warnings).toEqual([{ jwks_url: URL, keys }]);
    expect(skipped).toEqual(['not_usable', 'private_members', 'private_members']);
  });

  it('is logged and counted also where no key is left', async () => {
    published.keys = [{ ...one.jwk, d: 'AQAB' }];
    await find('one');
    expect([skipped, warnings]).toEqual([
      ['private_members'],
      [
        expect.objectContaining({ keys: [expect.stringContaining('key 1 "one"') as unknown] }),
        expect.objectContaining({ err: expect.anything() as unknown }),
      ],
    ]);
  });
});
