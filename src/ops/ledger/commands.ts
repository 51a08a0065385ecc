// `payctl ledger check` (docs/operations.md): help, and what is printed.
import { checkLedger } from '../../postgres/ledger/check';
import { tableOr } from '../layout';
import { createProgressPrinter } from '../print';
import { Rejection } from '../rejection';
import { noun, verb } from '../verb';

const check = verb('check', {
  does: 'Add up every account and match every intent with its transfers and its payout, in one snapshot and without writing. It exits 1 when anything does not agree.',
  work() {
    return async ({ database }) => {
      const tellRows = createProgressPrinter();
      const checks = await checkLedger(database, (rows) => {
        tellRows('rows looked at', rows);
      });
      return { ok: checks.every(({ violations }) => violations === 0), checks };
    };
  },
  lines: ({ checks }) => tableOr(checks, 'Nothing was checked.'),
  after({ ok, checks }) {
    if (ok) return;
    const named = checks
      .filter(({ violations }) => violations > 0)
      .map(({ name, violations }) => `${name} (${violations})`);
    throw new Rejection(`The ledger does not agree with itself: ${named.join(', ')}.`);
  },
});

export const addLedgerCommands = noun('ledger', 'Prove that the ledger is right.', [check]);
