// `payctl accounts book` (decision 157): books once a month what a provider took for payments
// beyond their amounts.
import { InvalidArgumentError } from 'commander';
import { CORRIDORS, type Corridor } from '../../corridors/names';
import { formatUsd } from '../../domain/money';
import type { Database } from '../../postgres/database';
import { bookCosts, type Month } from '../../postgres/ledger/costs';
import { recordAndSentences } from '../layout';
import { AS, operatorName, type OperatorOptions } from '../operator';
import { Rejection } from '../rejection';
import { databaseTime } from '../system-time';
import { required, verb } from '../verb';

interface BookOptions {
  readonly corridor: Corridor;
  readonly period: Month;
}

export const book = verb('book', {
  does: 'Book what a provider took for the captured payments of a month beyond their amounts: fees, and the rest; and what it kept of money that came back, by the statement. Once per corridor and month, in the order of the months; parts of a cent, and costs that are stored later, come with the next month.',
  options: [
    required('--corridor <corridor>', 'the corridor whose costs are booked').choices(CORRIDORS),
    required('--period <month>', 'over in UTC, such as 2026-03').argParser(parseMonth),
    AS,
  ],
  work(options: BookOptions & OperatorOptions) {
    const actor = operatorName(options.as);
    return ({ database }) => recordCosts(database, options, actor);
  },
  lines(costs) {
    const done = costs.is_repeat
      ? 'This month or a later one is booked: nothing was booked now. '
      : '';
    const taken = `Fees: ${formatUsd(costs.fees_usd_cents)}. Beyond amounts and fees: ${formatUsd(costs.fx_usd_cents)}.`;
    const kept = `Kept of money that came back: ${formatUsd(costs.kept_usd_cents)}.`;
    return recordAndSentences(costs, [`${done}${taken} ${kept}`]);
  },
});

function parseMonth(name: string): Month {
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(name) ?? [];
  if (year === undefined) throw new InvalidArgumentError('Expected a month, such as 2026-03.');
  return { name, end: new Date(Date.UTC(Number(year), Number(month), 1)) };
}

/** Idempotent by corridor and month. @throws Rejection if the month is not over */
export async function recordCosts(
  database: Database,
  { corridor, period }: BookOptions,
  actor: string,
) {
  const now = await databaseTime(database);
  if (now >= period.end) {
    const booked = await bookCosts(database, corridor, period, actor);
    return { corridor, period: period.name, ...booked };
  }
  throw new Rejection(
    `${period.name} is not over: the database's clock says ${now.toISOString()}. Nothing was booked.`,
  );
}
