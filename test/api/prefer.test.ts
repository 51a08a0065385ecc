// Decision 5: `Prefer: wait=N` lowers how long a confirm waits, `Prefer: respond-async` sets it to nothing (RFC 7240).
import { parseWaitMs } from '../../api/intents/prefer';

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
  ])('"%s" waits %d ms', (prefer, expected) => {
    expect(parseWaitMs(prefer, LIMIT_MS)).toBe(expected);
  });
});
