// Port randomness: bytes of the system's generator, fetched by the thousand, since a request needs twelve for its id.
import { randomFillSync } from 'node:crypto';
import type { Randomness } from '../ports/clock';

const POOL_BYTES = 4_096;

export function createRandomPool(): Randomness {
  const pool = Buffer.allocUnsafe(POOL_BYTES);
  let used = POOL_BYTES;
  return {
    bytes(count) {
      if (count > POOL_BYTES) return randomFillSync(Buffer.allocUnsafe(count));
      if (used + count > POOL_BYTES) {
        randomFillSync(pool);
        used = 0;
      }
      used += count;
      // A copy: these bytes are the caller's, whatever becomes of the pool.
      return Buffer.from(pool.subarray(used - count, used));
    },
  };
}
