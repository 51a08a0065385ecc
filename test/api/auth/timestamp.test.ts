// Parsing of RFC 3339 date-times (protocol 3.1, step 3 of protocol 3.4; decision 24).
import fc from 'fast-check';
import { parseRfc3339, parseRfc3339Utc } from '../../../src/domain/rfc3339';
import { NOON } from '../../support/clock';

const NOON_MS = NOON.getTime();
/** Parts of texts that are almost date-times. */
const PIECES = ['2026', '-03', '-02', 'T', 't', '12', ':', '00', '.', '9', 'Z', 'z', '+', ' '];

const onDay = (time: string) => `2026-03-02T${time}`;

describe('a date-time of RFC 3339', () => {
  it.each([
    ['2026-03-02T12:00:00Z', 0],
    ['2026-03-02t12:00:00z', 0],
    ['2026-03-02T12:00:00+00:00', 0],
    ['2026-03-02T12:00:00.5Z', 500],
    ['2026-03-02T12:00:00.123Z', 123],
    ['2026-03-02T12:00:00.1230000000000000000000Z', 123],
    ['2026-03-02T12:00:00.1230000000000000000001Z', 123.5],
    ['2026-03-02T12:00:00.9999Z', 999.5],
    ['2026-03-02T23:59:60Z', 43_200_000],
    ['2026-03-02t23:59:60.25z', 43_200_250],
    ['2026-03-02T23:59:60+00:00', 43_200_000],
  ])('%s is %d ms after noon', (text, expected) => {
    expect(parseRfc3339Utc(text)).toBe(NOON_MS + expected);
  });

  it('may have twenty thousand fraction digits', () => {
    expect(parseRfc3339Utc(`2026-03-02T12:00:00.${'0'.repeat(20_000)}1Z`)).toBe(NOON_MS + 0.5);
  });

  it.each([
    ['2026-03-02T19:00:00+07:00', 0],
    ['2026-03-02T07:30:00-04:30', 0],
    ['2026-03-03T11:59:00.25+23:59', 250],
    ['2026-03-03T06:59:60+07:00', 43_200_000],
    ['2026-03-02T19:29:60-04:30', 43_200_000],
  ])('%s is accepted by parseRfc3339 and not by parseRfc3339Utc', (text, expected) => {
    expect(parseRfc3339(text)).toBe(NOON_MS + expected);
    expect(parseRfc3339Utc(text)).toBeUndefined();
  });

  it.each([
    ...['', 'Z', '2026-03-02', '2026-03-02T12:00Z', '2026-03-02T12:00:00', '1772452800'],
    ...[' 2026-03-02T12:00:00Z', '2026-03-02T12:00:00Z\n', '２026-03-02T12:00:00Z'],
    ...['2026-02-29T12:00:00Z', '2026-02-30T12:00:00Z', '2026-13-01T12:00:00Z'],
    ...['2026-00-01T12:00:00Z', '2026-03-02T12:00:00-00:00', '+002026-03-02T12:00:00Z'],
    ...['26-03-02T12:00:00Z', '2026-3-2T12:00:00Z', '2026-03-02 12:00:00Z'],
    ...[
      '24:00:00Z',
      '12:60:00Z',
      '12:00:60Z',
      '23:59:61Z',
      '22:59:60Z',
      '23:59:60+07:00',
      '12:00:00 Z',
      '12:00:00.Z',
      '12:00:00,5Z',
    ].map(onDay),
    ...['12:00:00.-5Z', '12:00:00.1e1Z', '12:00:00+24:00', '12:00:00+00:60'].map(onDay),
    ...['12:00:00+0000', '12:00:00ZZ'].map(onDay),
  ])('is not %j', (text) => {
    expect([parseRfc3339(text), parseRfc3339Utc(text)]).toEqual([undefined, undefined]);
  });

  it('is parsed back to the same instant', () => {
    const instants = fc.date({
      min: new Date(0),
      max: new Date('9999-12-31'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(instants, (instant) => {
        expect(parseRfc3339Utc(instant.toISOString())).toBe(instant.getTime());
      }),
    );
  });

  it('compares with a whole millisecond exactly, for any digits', () => {
    const digits = fc.string({ unit: fc.constantFrom('0', '1', '9'), minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(digits, fc.integer({ min: -1, max: 1_001 }), (fraction, ms) => {
        const exact = BigInt(fraction.padEnd(40, '0'));
        const bound = BigInt(ms) * 10n ** 37n;
        const read = (parseRfc3339Utc(`2026-03-02T12:00:00.${fraction}Z`) ?? NaN) - NOON_MS;
        expect([read < ms, read > ms]).toEqual([exact < bound, exact > bound]);
      }),
    );
  });

  it('is parsed without throwing, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...PIECES) }), (text) => {
        expect(['number', 'undefined']).toContain(typeof parseRfc3339(text));
      }),
    );
  });
});
