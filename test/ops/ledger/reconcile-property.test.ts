// Random books and statements with planted differences: `payctl reconcile` finds each difference,
// and invents none (decision 130).
import fc from 'fast-check';
import type { FindingKind } from '../../../src/domain/reconciliation';
import { anIntentId } from '../../support/builders';
import {
  kindsIn,
  lineOf,
  minutes,
  openReconcileWorld,
  type ReconcileWorld,
  type StatedLine,
} from './reconcile-world';

/** Makes one payment and its lines, and says what must be found if it lies inside the period. */
type Plant = (world: ReconcileWorld, at: number) => Promise<Planted>;

interface Planted {
  readonly key: string;
  readonly lines: readonly StatedLine[];
  readonly kinds: readonly FindingKind[];
}

const captured =
  (linesOf: (line: StatedLine) => readonly StatedLine[], ...kinds: readonly FindingKind[]): Plant =>
  async (world, at) => {
    const intentId = await world.payment('captured', { at });
    const line = lineOf(intentId, { at });
    return { key: line.key, lines: linesOf(line), kinds };
  };

const unpaid =
  (
    status: 'failed' | 'cancelled' | 'expired' | 'created' | 'authorized',
    isStated: boolean,
  ): Plant =>
  async (world, at) => {
    const intentId = await world.payment(status, { at });
    const line = lineOf(intentId, { at });
    const kinds: readonly FindingKind[] = isStated ? ['paid_not_captured'] : [];
    return { key: line.key, lines: isStated ? [line] : [], kinds };
  };

const PLANTS: Readonly<Record<string, Plant>> = {
  agrees: captured((line) => [line]),
  'is not there': captured(() => [], 'captured_not_paid'),
  'is there twice': captured((line) => [line, line], 'paid_twice'),
  'came back': captured((line) => [line, { ...line, status: 'returned' }], 'returned'),
  'came back, its payment in another statement': captured(
    (line) => [{ ...line, status: 'returned' }],
    'returned',
  ),
  'is of another amount': captured(
    (line) => [{ ...line, amount_usd_cents: 1_249 }],
    'amount_differs',
  ),
  'is of another corridor': captured((line) => [{ ...line, corridor: 'vn' }], 'corridor_differs'),
  failed: unpaid('failed', false),
  'failed, and is there': unpaid('failed', true),
  'failed, and came back': async (world, at) => {
    const line = lineOf(await world.payment('failed', { at }), { at });
    return { key: line.key, lines: [line, { ...line, status: 'returned' }], kinds: [] };
  },
  'cancelled, and is there': unpaid('cancelled', true),
  'created, and is there': unpaid('created', true),
  authorized: unpaid('authorized', false),
  'authorized, and is there': unpaid('authorized', true),
  'is unknown': (_world, at) => {
    const line = lineOf(anIntentId(), { at });
    return Promise.resolve({ key: line.key, lines: [line], kinds: ['key_unknown'] });
  },
};

/** Minutes, and whether they are far enough from both edges of the period, which is 0 to 120. */
const INSTANTS: readonly (readonly [at: number, isReconciled: boolean])[] = [
  ...([5.01, 6, 30, 60, 114, 114.99] as const).map((at) => [at, true] as const),
  ...([-30, 0, 2, 5, 115, 119, 120, 130] as const).map((at) => [at, false] as const),
];

it('finds what was planted and nothing else', async () => {
  const plant = fc.record({
    name: fc.constantFrom(...Object.keys(PLANTS)),
    instant: fc.constantFrom(...INSTANTS),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(plant, { minLength: 4, maxLength: 24 }), async (plants) => {
      const world = await openReconcileWorld();
      try {
        const planted: Planted[] = [];
        // One line inside the period, so that the statement belongs to it.
        const inside = { name: 'agrees', instant: [60, true] as const };
        for (const { name, instant } of [...plants, inside]) {
          const made = await PLANTS[name]?.(world, instant[0]);
          if (made !== undefined) planted.push(instant[1] ? made : { ...made, kinds: [] });
        }
        const lines = planted.flatMap((one) => one.lines);
        const reconciled = await world.reconcile(lines, { since: minutes(0), until: minutes(120) });
        const expected = planted.flatMap(({ key, kinds }) => kinds.map((kind) => `${kind} ${key}`));
        const found = kindsIn(reconciled).map(([kind, key]) => `${kind} ${key}`);
        expect(found.sort()).toEqual(expected.sort());
        expect(reconciled.isClean).toBe(expected.length === 0);
      } finally {
        await world.close();
      }
    }),
    { numRuns: 9 },
  );
});
