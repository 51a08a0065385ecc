// `payctl ledger check`: proves that the ledger agrees with itself and with the payments.
import { checkLedger } from '../../postgres/ledger/check';
import { tableOr } from '../layout';
import { createProgressPrinter } from '../print';
import { Rejection } from '../rejection';
import { verb } from '../verb';

export const check = verb('check', {
  does: 'Add up every account and match every intent with its transfers and its payout, in one snapshot and without writing. It exits 1 if anything does not agree.',
  work() {
    return async ({ database }) => {
      const printProgress = createProgressPrinter();
      const checks = await checkLedger(database, (rows) => {
        printProgress('rows checked', rows);
      });
      return { ok: checks.every(({ violations }) => violations === 0), checks };
    };
  },
  lines: ({ checks }) => tableOr(checks, 'Nothing was checked.'),
  after({ ok, checks }) {
    if (ok) return;
    const failed = checks
      .filter(({ violations }) => violations > 0)
      .map(({ name, violations }) => `${name} (${violations})`);
    throw new Rejection(`The ledger does not agree with itself: ${failed.join(', ')}.`);
  },
});
