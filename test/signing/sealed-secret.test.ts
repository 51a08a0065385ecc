// Secrets at rest (architecture, section 5): AES-256-GCM, with the owner as associated data.
import fc from 'fast-check';
import { createSecretSeal, UnopenedSecret } from '../../src/signing/sealed-secret';

const OLD_KEY = Buffer.alloc(32, 1);
const NEW_KEY = Buffer.alloc(32, 2);
const seal = createSecretSeal(OLD_KEY);
const sealed = seal.seal('the secret', 'key_1');

describe('a sealed secret', () => {
  it('opens for its owner, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (secret, owner) => {
        expect(seal.open(seal.seal(secret, owner), owner)).toBe(secret);
      }),
    );
  });

  it('is never the same bytes twice and never contains the secret', () => {
    expect(seal.seal('the secret', 'key_1')).not.toEqual(sealed);
    expect(sealed.toString('latin1')).not.toContain('the secret');
  });

  it('does not open for another owner', () => {
    expect(() => seal.open(sealed, 'key_2')).toThrow(UnopenedSecret);
  });

  it('does not open under another key', () => {
    expect(() => createSecretSeal(NEW_KEY).open(sealed, 'key_1')).toThrow(UnopenedSecret);
  });

  it('does not open when any byte of it was changed', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: sealed.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        (position, difference) => {
          const changed = Buffer.from(sealed);
          changed[position] = (changed[position] ?? 0) ^ difference;
          expect(() => seal.open(changed, 'key_1')).toThrow(UnopenedSecret);
        },
      ),
    );
  });

  it('does not open when it was cut short, down to nothing', () => {
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => seal.open(sealed.subarray(0, length), 'key_1')).toThrow(UnopenedSecret);
    }
  });

  it('names its owner and never the secret when it does not open', () => {
    expect(() => seal.open(Buffer.of(9, 9, 9), 'key_1')).toThrow(
      'the sealed secret of key_1 does not open under any configured key',
    );
  });
});

describe('while one key replaces another', () => {
  const before = createSecretSeal(OLD_KEY, [NEW_KEY]);
  const after = createSecretSeal(NEW_KEY, [OLD_KEY]);

  it('a secret opens under either key', () => {
    expect(before.open(sealed, 'key_1')).toBe('the secret');
    expect(after.open(sealed, 'key_1')).toBe('the secret');
  });

  it('only the first key seals', () => {
    const made = after.seal('another', 'key_2');
    expect(createSecretSeal(NEW_KEY).open(made, 'key_2')).toBe('another');
    expect(() => createSecretSeal(OLD_KEY).open(made, 'key_2')).toThrow(UnopenedSecret);
  });

  it('a secret is sealed again under the first key, for the same owner', () => {
    const resealed = after.reseal(sealed, 'key_1') ?? Buffer.alloc(0);
    expect(createSecretSeal(NEW_KEY).open(resealed, 'key_1')).toBe('the secret');
  });

  it('a secret that is sealed under the first key is not sealed again', () => {
    expect(before.reseal(sealed, 'key_1')).toBeUndefined();
  });

  it('bytes that open under neither key, or for another owner, are not sealed again', () => {
    const foreign = createSecretSeal(Buffer.alloc(32, 3)).seal('x', 'key_1');
    expect(() => after.reseal(foreign, 'key_1')).toThrow(UnopenedSecret);
    expect(() => after.reseal(sealed, 'key_2')).toThrow(UnopenedSecret);
    expect(() => after.open(foreign, 'key_1')).toThrow(UnopenedSecret);
  });
});
