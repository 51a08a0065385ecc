// Totals over many lives.
import type { Script } from './choices';
import { PHASES } from '../world/phases';
import type { Life } from '../life';

export interface Failure {
  readonly number: number;
  /** The smallest script: with fewer choices no invariant is violated. */
  readonly script: Script;
  readonly story: readonly string[];
}

interface Invariant {
  checked: number;
  violations: number;
}

export class Tally {
  lives = 0;
  readonly failures: Failure[] = [];
  readonly invariants = new Map<string, Invariant>();
  /** How often each fault happened in each phase. */
  readonly faults = new Map<string, Map<string, number>>();

  add({ findings, faults }: Life): void {
    this.lives += 1;
    for (const { name, checked, violations } of findings) {
      const sum = this.invariants.get(name) ?? { checked: 0, violations: 0 };
      sum.checked += checked;
      sum.violations += violations;
      this.invariants.set(name, sum);
    }
    for (const { phase, point, what } of faults) {
      const name = nameOf(point, what);
      const phases = this.faults.get(name) ?? new Map<string, number>();
      phases.set(phase, (phases.get(phase) ?? 0) + 1);
      this.faults.set(name, phases);
    }
  }

  table(): readonly string[] {
    const faults = [...this.faults].sort(([one], [other]) => one.localeCompare(other));
    return [
      row('fault, by the phase of the payment', PHASES),
      ...faults.map(([name, phases]) =>
        row(
          name,
          PHASES.map((phase) => String(phases.get(phase) ?? 0)),
        ),
      ),
      '',
      row('invariant', ['checked', 'violated']),
      ...[...this.invariants].map(([name, { checked, violations }]) =>
        row(name, [String(checked), `${String(violations)}${violations > 0 ? ' !' : ''}`]),
      ),
    ];
  }
}

/**
 * Faults of statements and calls are counted together for all points, messages by their own name.
 */
function nameOf(point: string, what: string): string {
  if (point.startsWith('the turn of')) return 'another turn comes first';
  const [where = ''] = /^(statement|Temporal|provider|endpoint)/.exec(point) ?? [];
  return where === '' ? what : `${where}: ${what}`;
}

const NAME_WIDTH = 48;
const CELL_WIDTH = 10;

function row(name: string, cells: readonly string[]): string {
  return `${name.slice(0, NAME_WIDTH).padEnd(NAME_WIDTH)}${cells.map((cell) => cell.padStart(CELL_WIDTH)).join('')}`;
}
