// `payctl partners totals`: how much a partner's payments of a period come to.
import { formatUsd } from '../../domain/money';
import type { Period } from '../../postgres/reports/newest-first';
import { readTotals } from '../../postgres/reports/partner-totals';
import { tableOr } from '../layout';
import { SINCE, UNTIL } from '../option-values';
import { verb } from '../verb';
import { requirePartner } from './known-partner';

export const totals = verb('totals <partner>', {
  does: "Count and add up a partner's payments by corridor and status. A payment counts in the period in which it was created, with the status that it has now.",
  options: [SINCE, UNTIL],
  work(partnerId: string, period: Period) {
    return async ({ database }) => {
      await requirePartner(database, partnerId);
      return readTotals(database, partnerId, period);
    };
  },
  lines(found) {
    const rows = found.map(({ corridor, status, payments, amount_usd_cents: cents }) => {
      return { corridor, status, payments, amount: formatUsd(cents) };
    });
    return tableOr(rows, 'There is no such payment.');
  },
});
