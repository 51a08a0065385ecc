// Ids: 48 bits of time and 80 random bits (protocol 2.1; architecture, section 5).
import fc from 'fast-check';
import {
  ID_RANDOM_BYTES,
  makeEventId,
  makeIntentId,
  parseEventId,
  parseIntentId,
  parsePartnerId,
  stepKey,
} from '../../src/domain/ids';

const MAX_TIME_MS = 2 ** 48 - 1;
const aTime = fc.integer({ min: 0, max: MAX_TIME_MS });
const randomBits = fc.uint8Array({ minLength: ID_RANDOM_BYTES, maxLength: ID_RANDOM_BYTES });
const GOOD = makeIntentId(1_700_000_000_000, new Uint8Array(ID_RANDOM_BYTES).fill(255));

describe('an intent id', () => {
  it('is `pi_` and 26 characters of Crockford base32, and is parsed again', () => {
    fc.assert(
      fc.property(aTime, randomBits, (time, random) => {
        const id = makeIntentId(time, random);
        expect(id).toMatch(/^pi_[0-9a-hjkmnp-tv-z]{26}$/);
        expect(parseIntentId(id)).toBe(id);
      }),
    );
  });

  it('sorts after every id that was made earlier', () => {
    fc.assert(
      fc.property(aTime, aTime, randomBits, randomBits, (time, other, random, otherRandom) => {
        fc.pre(time !== other);
        const ids = [makeIntentId(time, random), makeIntentId(other, otherRandom)];
        const inOrder = time < other ? ids : [...ids].reverse();
        expect([...ids].sort()).toEqual(inOrder);
      }),
    );
  });

  it('differs whenever its random bits differ', () => {
    fc.assert(
      fc.property(aTime, randomBits, randomBits, (time, random, other) => {
        fc.pre(Buffer.compare(random, other) !== 0);
        expect(makeIntentId(time, random)).not.toBe(makeIntentId(time, other));
      }),
    );
  });

  it.each([0, 9, 11, 16])('takes exactly ten random bytes and not %d', (length) => {
    expect(() => makeIntentId(0, new Uint8Array(length))).toThrow('ten random bytes');
  });

  it.each([
    ['nothing', ''],
    ['the prefix alone', 'pi_'],
    ['another prefix', GOOD.replace('pi_', 'evt_')],
    ['a prefix in capitals', GOOD.replace('pi_', 'PI_')],
    ['capitals', GOOD.toUpperCase().replace('PI_', 'pi_')],
    ['a character less', GOOD.slice(0, -1)],
    ['a character more', `${GOOD}0`],
    ['the letter i, similar to 1', `${GOOD.slice(0, -1)}i`],
    ['the letter l, similar to 1', `${GOOD.slice(0, -1)}l`],
    ['the letter o, similar to 0', `${GOOD.slice(0, -1)}o`],
    ['the letter u', `${GOOD.slice(0, -1)}u`],
    ['a newline at the end', `${GOOD}\n`],
    ['a blank in front', ` ${GOOD}`],
    ['a digit of another script', `${GOOD.slice(0, -1)}٣`],
  ])('is not %s', (_name, text) => {
    expect(parseIntentId(text)).toBeUndefined();
  });
});

describe('an event id', () => {
  it('is `evt_` and 26 characters of Crockford base32, and is parsed again', () => {
    const id = makeEventId(1, new Uint8Array(ID_RANDOM_BYTES));
    expect(id).toBe('evt_00000000010000000000000000');
    expect(parseEventId(id)).toBe(id);
  });

  it('is never an intent id', () => {
    expect(parseEventId(GOOD)).toBeUndefined();
  });
});

describe('a partner id', () => {
  it.each(['a', '0', 'acme', 'acme-2', 'a'.repeat(63)])('is a slug such as %s', (text) => {
    expect(parsePartnerId(text)).toBe(text);
  });

  it.each(['', '-acme', 'Acme', 'ac me', 'acme_', 'a'.repeat(64), 'acme\n', 'ácme'])(
    'is not "%s"',
    (text) => {
      expect(parsePartnerId(text)).toBeUndefined();
    },
  );
});

describe('the key of a money movement', () => {
  it.each(['debit', 'payout', 'capture', 'release', 'refund'] as const)(
    'of the step %s is made of intent and step, and the same every time',
    (step) => {
      expect(stepKey(GOOD, step)).toBe(`${GOOD}:${step}`);
      expect(stepKey(GOOD, step)).toBe(stepKey(GOOD, step));
    },
  );
});
