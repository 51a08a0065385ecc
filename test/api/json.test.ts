// Decision 24: JSON is parsed strictly, with bounded depth, and text that could be read in two ways
// is rejected.
import fc from 'fast-check';
import { JSON_DEPTH_MAX } from '../../src/domain/limits';
import { parseStrictJson } from '../../src/signing/strict-json';

const parse = (text: string | Buffer) => parseStrictJson(Buffer.from(text));
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

/** Parts of texts that are almost JSON. */
const PIECES = ['\\u', '00', '61', ...Array.from('{}[]",:a1- /*\n')];

const escapeOf = (unit: number) => `\\u${unit.toString(16).padStart(4, '0')}`;
/** The name with every character as an escape, which is the same name. */
const escaped = (name: string) =>
  `"${Array.from({ length: name.length }, (_, at) => escapeOf(name.charCodeAt(at))).join('')}"`;

describe('JSON is parsed as by JSON.parse', () => {
  it('for any value', () => {
    const values = fc.jsonValue({ stringUnit: 'binary', maxDepth: 8 });
    fc.assert(
      fc.property(values, fc.nat(4), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        fc.pre(!text.includes('__proto__'));
        expect(parse(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([
    '1e400',
    '-0',
    '1E2',
    '"\\ud800"',
    '"\\u0000"',
    ' \t\r\n{} ',
    '{"a":{"a":[{"a":1},{"a":2}]}}',
  ])('as in %s', (text) => {
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  it('with members of any other name, as in constructor and toString', () => {
    expect(parse('{"constructor":1,"toString":2,"":3,"prototype":4}')).toEqual({
      constructor: 1,
      toString: 2,
      '': 3,
      prototype: 4,
    });
  });
});

describe('text that JSON.parse rejects is rejected', () => {
  it.each([
    ...['', ' ', '{', '{a:1}', "{'a':1}", '[1,]', '{"a":1,}', '// x\n1', '/* x */1', '1 2', '01'],
    ...['NaN', 'Infinity', '+1', '.5', '1.', '0x10', '"\n"', '"\\x41"', 'undefined', '\ufeff{}'],
    ...['{"a":1}\0', '"\0"', '\u00a01', '[', '"', '"\\', '{"a"', '{"a":'],
  ])('as in %j', (text) => {
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
    expect(() => parse(text)).toThrow('The body is not JSON in UTF-8.');
  });

  it('for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...PIECES) }), (text) => {
        expect(outcomeOf(() => parse(text)) === 'rejected' || isJson(text)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['a byte that begins nothing', [0xff]],
    ['a sequence cut short', [0xe2, 0x82]],
    ['an overlong sequence', [0xc0, 0xaf]],
    ['a surrogate in UTF-8', [0xed, 0xa0, 0x80]],
    ['a code point above the last', [0xf4, 0x90, 0x80, 0x80]],
  ])('and text that is not UTF-8, with %s', (_name, bytes) => {
    const quote = Buffer.from('"');
    expect(() => parse(Buffer.concat([quote, Buffer.from(bytes), quote]))).toThrow(
      'The body is not JSON in UTF-8.',
    );
    expect(parse('"after it"')).toBe('after it');
  });

  it('and UTF-16', () => {
    expect(() => parse(Buffer.from('{}', 'utf16le'))).toThrow('The body is not JSON in UTF-8.');
  });
});

describe('a member that occurs twice in one object', () => {
  it.each([
    ['{"a":1,"a":1}', 'a'],
    ['{"a":1,"b":2,"a":3}', 'a'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['[{"x":[{"deep name":1,"deep name":2}]}]', 'deep name'],
    ['{"a":{},"a":[]}', 'a'],
    ['{"constructor":1,"constructor":2}', 'constructor'],
  ])('%s is rejected by name', (text, name) => {
    expect(() => parse(text)).toThrow(`The body has the member ${name} twice.`);
  });

  it.each(['', 'a\nb', '\u202e', 'é', '\ud800', 'x'.repeat(65), 'x'.repeat(30_000)])(
    '%j is rejected without its name, which is long or not printable',
    (name) => {
      const text = `{${JSON.stringify(name)}:1,${JSON.stringify(name)}:2}`;
      expect(() => parse(text)).toThrow('The body has a member twice.');
    },
  );

  it('is found at any level and with any escapes', () => {
    const names = fc.string({ maxLength: 8 }).filter((name) => name !== '__proto__');
    fc.assert(
      fc.property(names, fc.array(fc.boolean(), { maxLength: 8 }), (name, isArrays) => {
        const twice = `{${JSON.stringify(name)}:1,${escaped(name)}:2}`;
        const text = isArrays.reduce(
          (inner, isArray) => (isArray ? `[0,${inner}]` : `{"k":${inner}}`),
          twice,
        );
        expect(() => parse(text)).toThrow(/^The body has .* twice\.$/);
      }),
    );
  });
});

describe('a member __proto__', () => {
  it.each(['{"__proto__":{}}', '{"a":[{"__proto__":null}]}', `{${escaped('__proto__')}:1}`])(
    'is rejected: %s',
    (text) => {
      expect(() => parse(text)).toThrow('The body has the member __proto__, which is not defined.');
    },
  );

  it('may be a value', () => {
    expect(parse('["__proto__"]')).toEqual(['__proto__']);
  });
});

describe('a number that a double stores as an integer', () => {
  it.each([
    ...[
      '0.99999999999999999',
      '1250.0000000000000001',
      '100000000.000000001',
      '-0.99999999999999999',
    ],
    ...['1.00000000000000000001e2', '99999999999999999999e-20', '4503599627370497.5', '1e-400'],
    ...['1000000000000000000000000000000000000000.5e-36', '0.1e-400'],
  ])('is rejected if it is not exactly that integer: %s', (literal) => {
    expect(Number.isSafeInteger(JSON.parse(literal))).toBe(true);
    for (const text of [literal, `{"a":[1,${literal}]}`]) {
      expect(() => parse(text)).toThrow(
        'The body has a number whose fraction would be rounded away.',
      );
    }
  });

  it.each([
    ...[
      '100.0',
      '1e2',
      '1.25E+3',
      '1000e-1',
      '0.0',
      '-0.0',
      '0e-400',
      '1250.000000000000000000000',
    ],
    ...['0.00000000000000000001e20', '12300000000000000000000e-20', '9007199254740991.0'],
  ])('is accepted if it is exactly that integer: %s', (literal) => {
    expect(parse(literal)).toBe(JSON.parse(literal));
  });

  // A partner's own claims may contain such numbers, which do not become a wrong integer.
  it.each(['0.1000000000000000055511151231257827', '9007199254740993', '1e400', '5e-324', '2.5e9'])(
    'is the only kind that is rejected, not %s',
    (literal) => {
      expect(parse(literal)).toBe(JSON.parse(literal));
    },
  );

  it('is found for any position of the decimal point and any exponent', () => {
    const digits = fc.stringMatching(/^[0-9]{0,20}[1-9]$/);
    fc.assert(
      fc.property(fc.nat(), digits, fc.integer({ min: -30, max: 30 }), (whole, tail, shift) => {
        const zeros = '0'.repeat(20);
        const literal = `${String(whole)}.${zeros}${tail}e${String(shift)}`;
        const isInteger = Number.isSafeInteger(Number(literal));
        const isExact = shift >= zeros.length + tail.length;
        expect(outcomeOf(() => parse(literal))).toBe(
          isInteger && !isExact ? 'rejected' : 'accepted',
        );
      }),
    );
  });
});

describe('depth', () => {
  it(`may be ${String(JSON_DEPTH_MAX)}, and is counted separately in each branch`, () => {
    expect(() => parse(nested(JSON_DEPTH_MAX))).not.toThrow();
    const branch = nested(JSON_DEPTH_MAX - 1);
    expect(() => parse(`[${branch},${branch},{}]`)).not.toThrow();
  });

  it.each([
    ['one more', nested(JSON_DEPTH_MAX + 1)],
    ['32 768 arrays', nested(32_768)],
    ['10 922 objects', `${'{"a":'.repeat(10_922)}1${'}'.repeat(10_922)}`],
  ])('of %s is rejected', (_name, text) => {
    expect(() => parse(text)).toThrow('The body has more than 32 levels.');
  });

  it.each(['[', '{"a":', '[{"a":', '"', '\\'])('of 64 kB of %s is not JSON', (part) => {
    expect(() => parse(part.repeat(65_536 / part.length))).toThrow(
      'The body is not JSON in UTF-8.',
    );
  });
});

function outcomeOf(work: () => unknown): 'accepted' | 'rejected' {
  try {
    work();
    return 'accepted';
  } catch {
    return 'rejected';
  }
}

function isJson(text: string): boolean {
  return outcomeOf(() => JSON.parse(text) as unknown) === 'accepted';
}
