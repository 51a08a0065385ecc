// `payctl accounts book` (decision 159): books once a month what a provider took for payments
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
  usage: '--corridor <corridor> --period <month> [options]',
  does: 'Book what a provider took for the captured payments of a month beyond their amounts: fees, and the rest. Once per corridor and month, in the order of the months; parts of a cent, and costs that are stored later, come with the next month.',
  options: [
    required('--corridor <corridor>', 'the corridor whose costs are booked').choices(CORRIDORS),
    required('--period <month>', 'a month that is over in UTC, such as 2026-03').argParser(
      parseMonth,
    ),
    AS,
  ],
  work(options: BookOptions & OperatorOptions) {
    const actor = operatorName(options.as);
    return ({ database }) => recordCosts(database, options, actor);
  },
  lines(costs) {
    const done = costs.is_repeat ? 'This month is booked already: nothing was booked now.' : '';
    const fees = `Fees: ${formatUsd(costs.fees_usd_cents)}.`;
    const fx = `Beyond amounts and fees: ${formatUsd(costs.fx_usd_cents)}.`;
    return recordAndSentences(costs, [`${done} ${fees} ${fx}`.trim()]);
  },
});

const MONTH = /^(\d{4})-(0[1-9]|1[0-2])$/;

function parseMonth(name: string): Month {
  const [, year, month] = MONTH.exec(name) ?? [];
  if (year === undefined) throw new InvalidArgumentError('Expected a month, such as 2026-03.');
  return { name, end: new Date(Date.UTC(Number(year), Number(month), 1)) };
}

interface Costs {
  readonly corridor: Corridor;
  readonly period: string;
  /** An earlier call has booked the month, and this one changed nothing. */
  readonly is_repeat: boolean;
  readonly fees_usd_cents: number;
  /** Below zero if the payments cost less than their amounts and the fees. */
  readonly fx_usd_cents: number;
}

/** Idempotent by corridor and month. @throws Rejection if the month is not over, or out of order */
export async function recordCosts(
  database: Database,
  { corridor, period: month }: BookOptions,
  actor: string,
): Promise<Costs> {
  const now = await databaseTime(database);
  if (now < month.end) {
    throw new Rejection(
      `${month.name} is not over: the database's clock says ${now.toISOString()}. Nothing was booked.`,
    );
  }
  const { booked, isRepeat } = await bookCosts(database, { corridor, month, actor });
  if (booked === null) {
    throw new Rejection(
      `A later month of ${corridor} is booked, and it includes the costs of ${month.name}. Nothing was booked.`,
    );
  }
  return {
    ...{ corridor, period: month.name, is_repeat: isRepeat },
    ...{ fees_usd_cents: booked.fees, fx_usd_cents: booked.fx },
  };
}
