// The provider's balance as the proof of what was executed: answers alone do not show a payment
// that was made twice.
import type { Caller } from './caller';
import { CENT } from './caller';

export type Books = ReturnType<typeof createBooks>;

export function createBooks(caller: Caller) {
  const available = async (): Promise<bigint> => {
    const balance = await caller.balance();
    if (balance === undefined) throw new Error('GET /balance did not answer a balance.');
    return balance.available;
  };
  return {
    /** The problem if the work moves another sum than these cents; else what the work says. */
    async moves(
      cents: number,
      work: () => Promise<string | undefined>,
    ): Promise<string | undefined> {
      const before = await available();
      const problem = await work();
      if (problem !== undefined) return problem;
      const moved = before - (await available());
      if (moved === BigInt(cents) * CENT) return undefined;
      return `The balance fell by ${centsText(moved)} cents, not by ${String(cents)}.`;
    },
    available,
  };
}

function centsText(amount: bigint): string {
  const isWhole = amount % CENT === 0n;
  return isWhole ? String(amount / CENT) : (Number(amount) / Number(CENT)).toFixed(4);
}
