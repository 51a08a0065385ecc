// Decision 5: `Prefer: wait=N` lowers the wait of a confirm, `Prefer: respond-async` sets it to
// zero (RFC 7240).
import fc from 'fast-check';
import { parseWaitMs } from '../../../api/intents/prefer';

const LIMIT_MS = 8_000;

describe('Prefer', () => {
  it.each([
    ['', LIMIT_MS],
    ['respond-async', 0],
    ['Respond-Async', 0],
    ['return=minimal, respond-async', 0],
    ['respond-async, wait=5', 0],
    ['wait=0', 0],
    ['wait=3', 3_000],
    ['wait = 3', 3_000],
    ['wait="3"', 3_000],
    ['return=minimal, wait=2', 2_000],
    ['wait=8', LIMIT_MS],
    ['wait=9', LIMIT_MS],
    ['wait=999999', LIMIT_MS],
    ['wait=-1', LIMIT_MS],
    ['wait=1.5', LIMIT_MS],
    ['wait=soon', LIMIT_MS],
    ['wait', LIMIT_MS],
    ['nonsense;;;=', LIMIT_MS],
    // Parameters after a semicolon, and values that are empty: "equivalent to no value at all".
    ['respond-async; x=1', 0],
    ['respond-async;', 0],
    ['respond-async=""', 0],
    ['wait=5; x=y', 5_000],
    ['wait=5;x="a, respond-async";y', 5_000],
    ['wait="5" ; x', 5_000],
    ['x; respond-async', LIMIT_MS],
    ['x=respond-async', LIMIT_MS],
    ['respond-async=no', LIMIT_MS],
    // Commas and semicolons in quotes do not separate.
    ['x="a, respond-async, b"', LIMIT_MS],
    ['x="a\\", respond-async", wait=2', 2_000],
    ['x="no end, respond-async', LIMIT_MS],
    ['wait="5;x"', LIMIT_MS],
    ['wait=5"', LIMIT_MS],
    // The first preference of a name counts, also over several headers, which Node joins by commas.
    ['wait=2, wait=1', 2_000],
    ['wait=x, wait=1', LIMIT_MS],
    [', ,wait=4,', 4_000],
    ['wait=3=4', LIMIT_MS],
    ['waiting=3', LIMIT_MS],
    ['wait=0000000000000000000001', 1_000],
    [`wait=${'9'.repeat(400)}`, LIMIT_MS],
    ['wait=٣', LIMIT_MS],
  ])('%j waits %d ms', (prefer, expected) => {
    expect(parseWaitMs(prefer, LIMIT_MS)).toBe(expected);
  });

  it('with any text waits between zero and the limit, and never throws', () => {
    const parts = fc.constantFrom(
      ...['wait', 'respond-async', '=', ';', ',', '"', '\\', ' ', '7', '\n', 'é', '\0', 'x'],
    );
    fc.assert(
      fc.property(fc.string({ unit: parts, maxLength: 40 }), (prefer) => {
        const waitMs = parseWaitMs(prefer, LIMIT_MS);
        expect(waitMs >= 0 && waitMs <= LIMIT_MS).toBe(true);
      }),
    );
  });

  it.each(['"', '\\', ',', '"\\', 'wait=', 'a"b,', ' ', ';', '="'])(
    'with 32 kB of %j is parsed in one pass',
    (part) => {
      expect(parseWaitMs(part.repeat(32_768 / part.length), LIMIT_MS)).toBe(LIMIT_MS);
    },
  );
});
