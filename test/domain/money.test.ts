// Amounts in USD cents (protocol 1.3 and 5.2).
import fc from 'fast-check';
import {
  addCosts,
  centsAtRate,
  formatLocal,
  formatUsd,
  isUsdCents,
  usdCents,
  usdText,
} from '../../src/domain/money';

describe('an amount in USD cents', () => {
  it.each([1, 2, 99_999_999, 100_000_000])('is %d', (value) => {
    expect(isUsdCents(value)).toBe(true);
    expect(usdCents(value)).toBe(value);
  });

  it.each([
    0,
    -0,
    -1,
    100_000_001,
    0.5,
    1.5,
    99_999_999.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.MAX_SAFE_INTEGER,
    Number.EPSILON,
  ])('is never %d', (value) => {
    expect(isUsdCents(value)).toBe(false);
    expect(() => usdCents(value)).toThrow(RangeError);
  });

  it.each([['1'], [null], [undefined], [true], [[1]], [{ valueOf: () => 1 }], [1n]])(
    'is a number and not %p',
    (value) => {
      expect(isUsdCents(value)).toBe(false);
    },
  );

  it('is every integer between the bounds and no number outside them', () => {
    fc.assert(
      fc.property(fc.oneof(fc.integer(), fc.double(), fc.integer({ min: 0, max: 3 })), (value) => {
        const isExpected = Number.isInteger(value) && value >= 1 && value <= 100_000_000;
        expect(isUsdCents(value)).toBe(isExpected);
      }),
    );
  });
});

describe('what the amount of a payee is worth', () => {
  it.each([
    [43_125, '34.50', 1_250],
    [43_124, '34.5', 1_250],
    [43_090, '34.50', 1_249],
    [1, '34.50', 1],
    [345, '1', 345],
    [1_000_000_000_000, '0.000000000000000001', 1e30],
  ])('%d satang at %s are %d cents, rounded up', (minor, rate, cents) => {
    expect(centsAtRate({ currency: 'THB', minor }, rate)).toBe(cents);
  });

  it('in dong, which have no minor unit', () => {
    expect(centsAtRate({ currency: 'VND', minor: 317_500 }, '25400')).toBe(1_250);
    expect(centsAtRate({ currency: 'VND', minor: 317_501 }, '25400')).toBe(1_251);
  });

  it.each(['0', '0.00', '', '1e3', '-1', '1.'])('is not known at the rate %p', (rate) => {
    expect(() => centsAtRate({ currency: 'THB', minor: 1 }, rate)).toThrow(RangeError);
  });
});

describe('the text of an amount', () => {
  it.each([
    [1, '0.01 USD'],
    [99, '0.99 USD'],
    [100, '1.00 USD'],
    [1_234, '12.34 USD'],
    [100_000_000, '1000000.00 USD'],
    [0, '0.00 USD'],
    [-1_250, '-12.50 USD'],
  ])('of %d cents reads %s', (cents, text) => {
    expect(formatUsd(cents)).toBe(text);
  });

  it('names every amount to the cent', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000_000 }), (cents) => {
        const digits = formatUsd(cents).replace(/^(\d+)\.(\d{2}) USD$/, '$1$2');
        expect(Number(digits)).toBe(cents);
      }),
    );
  });
});

it.each([
  [{ currency: 'THB', minor: 43_125 }, '431.25 THB'],
  [{ currency: 'THB', minor: 5 }, '0.05 THB'],
  [{ currency: 'VND', minor: 317_500 }, '317500 VND'],
] as const)('%j is %s for people', (local, text) => {
  expect(formatLocal(local)).toBe(text);
});

describe('the sum of costs', () => {
  it.each([
    [['12.5', '0.35'], '12.85'],
    [['12.50', '0.5'], '13.00'],
    [['0.1', '0.2'], '0.3'],
    [['0.000000000000000001', '9999999999999'], '9999999999999.000000000000000001'],
    [['0.999999999999999999', '0.000000000000000001'], '1.000000000000000000'],
    [['9999999999999', '1'], '10000000000000'],
    [['007', '1'], '8'],
    [['1.0043942247'], '1.0043942247'],
    [[], '0'],
  ])('of %j is %s', (texts, sum) => {
    expect(addCosts(texts)).toBe(sum);
  });

  it.each(['', '-1', '1e2', '.5', '1.', '1,5', ' 1', '1.0000000000000000001', '12345678901234'])(
    'needs costs, and %j is none',
    (text) => {
      expect(() => addCosts(['1', text])).toThrow(RangeError);
    },
  );

  it('is exact for each number of decimals', () => {
    const part = fc.tuple(fc.bigInt(0n, 9_999_999_999_999n), fc.integer({ min: 0, max: 18 }));
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const texts = parts.map(([digits, decimals]) => {
          const text = String(digits).padStart(decimals + 1, '0');
          const point = text.length - decimals;
          return decimals === 0 ? text : `${text.slice(0, point)}.${text.slice(point)}`;
        });
        const expected = parts.reduce(
          (total, [digits, decimals]) => total + digits * 10n ** BigInt(18 - decimals),
          0n,
        );
        const [whole = '', decimals = ''] = addCosts(texts).split('.');
        expect(BigInt(whole + decimals.padEnd(18, '0'))).toBe(expected);
      }),
    );
  });
});

it.each([
  [1_250, '12.50'],
  [1, '0.01'],
  [-1_250, '-12.50'],
])('the text of %d cents without a currency is %s', (cents, text) => {
  expect(usdText(cents)).toBe(text);
});
