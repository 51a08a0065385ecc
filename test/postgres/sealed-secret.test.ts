// Secrets at rest (architecture, section 5): AES-256-GCM, with the owner as associated data.
import fc from 'fast-check';
import { createSecretSeal } from '../../src/signing/sealed-secret';
import { countOf, openTestBed } from '../support/builders';
import { aPartner } from '../support/partner';

const seal = createSecretSeal(Buffer.alloc(32, 1));
const sealed = seal.seal('the secret', 'key_1');

describe('a sealed secret', () => {
  it('opens for its owner, whatever text it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (secret, owner) => {
        expect(seal.open(seal.seal(secret, owner), owner)).toBe(secret);
      }),
    );
  });

  it('is never the same bytes twice and never holds the secret', () => {
    expect(seal.seal('the secret', 'key_1')).not.toEqual(sealed);
    expect(sealed.toString('latin1')).not.toContain('the secret');
  });

  it('does not open for another owner', () => {
    expect(() => seal.open(sealed, 'key_2')).toThrow('unable to authenticate');
  });

  it('does not open under another key', () => {
    const other = createSecretSeal(Buffer.alloc(32, 2));
    expect(() => other.open(sealed, 'key_1')).toThrow('unable to authenticate');
  });

  it('does not open when any byte of it was changed', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: sealed.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        (position, difference) => {
          const changed = Buffer.from(sealed);
          changed[position] = (changed[position] ?? 0) ^ difference;
          expect(() => seal.open(changed, 'key_1')).toThrow(/authenticate|unknown version/);
        },
      ),
    );
  });

  it('does not open when it was cut short, down to nothing', () => {
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => seal.open(sealed.subarray(0, length), 'key_1')).toThrow(
        /authenticat|unknown version|initialization/,
      );
    }
  });

  it('names its owner and never the secret when it does not open', () => {
    expect(() => seal.open(Buffer.of(9, 9, 9), 'key_1')).toThrow(
      'sealed secret of key_1 has an unknown version',
    );
  });
});

describe('in the database', () => {
  it('a key’s secret copied to another key’s row does not open there', async () => {
    const bed = await openTestBed();
    try {
      const [one, two] = [await aPartner(bed), await aPartner(bed)];
      await bed.database.query({
        text: `update signing_keys k set secret_sealed = o.secret_sealed
                 from signing_keys o where k.key_id = $1 and o.key_id = $2`,
        values: [one.key_id, two.key_id],
      });
      await expect(bed.partners.findSigningKey(one.key_id)).rejects.toThrow(
        'unable to authenticate',
      );
      await expect(bed.partners.findSigningKey(two.key_id)).resolves.toMatchObject({
        secret: two.signing_secret,
      });
      const clear = `select count(*) from signing_keys where position($1::bytea in secret_sealed) > 0`;
      expect(await countOf(bed, clear, [Buffer.from(two.signing_secret)])).toBe(0);
    } finally {
      await bed.close();
    }
  });
});
