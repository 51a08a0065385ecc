// `payctl corridors close|open` and `payctl partners suspend|resume`: whether payments of one may
// begin (decision 158).
import { CORRIDORS, isCorridor } from '../../corridors/names';
import type { Queryable } from '../../postgres/database';
import { decide } from '../../postgres/approvals/decide';
import { COUNTED_MAX, countGoingOn, type ClosureOf } from '../../postgres/partners/closures';
import { recordLines, sentenceLines } from '../layout';
import {
  AS,
  REASON_REQUIRED,
  reasonedOperatorOf,
  type ReasonedOperator,
  type ReasonedOptions,
} from '../operator';
import { requirePartner } from '../partners/known-partner';
import { BadOption } from '../rejection';
import { verb } from '../verb';

/** The JSON shape that programs rely on. */
interface Door {
  readonly of: string;
  readonly is_open: boolean;
  /** False if it was so before. */
  readonly is_changed: boolean;
  /** Authorized payments, which are still paid out; 10 000 for more. */
  readonly going_on: number;
}

interface DoorVerb {
  /** With its argument. */
  readonly name: string;
  readonly of: ClosureOf;
  readonly isOpen: boolean;
  readonly does: string;
}

const doorVerb = ({ name, of, isOpen, does }: DoorVerb) =>
  verb(name, {
    does,
    options: [REASON_REQUIRED, AS],
    work(subject: string, options: ReasonedOptions) {
      const operator = reasonedOperatorOf(options);
      if (of === 'corridor' && !isCorridor(subject))
        throw new BadOption(`${subject} is none of the corridors ${CORRIDORS.join(', ')}.`);
      return ({ database }) => changeDoor(database, subject, operator, { of, isOpen });
    },
    lines: (door) => [...recordLines(door), ...sentenceLines([sentenceOf(door)])],
  });

const VERBS = {
  corridor: { close: 'corridors close', open: 'corridors open' },
  partner_id: { close: 'partners suspend', open: 'partners resume' },
} as const;

/** @throws Rejection if there is no such partner */
async function changeDoor(
  database: Queryable,
  subject: string,
  { actor, reason }: ReasonedOperator,
  { of, isOpen }: Pick<DoorVerb, 'of' | 'isOpen'>,
): Promise<Door> {
  if (of === 'partner_id') await requirePartner(database, subject);
  const verb = VERBS[of][isOpen ? 'open' : 'close'];
  const done = await decide(database, { verb, given: { of: subject, reason }, actor });
  const going_on = await countGoingOn(database, of, subject);
  return { of: subject, is_open: isOpen, is_changed: done !== null, going_on };
}

function sentenceOf({ is_open: isOpen, going_on: goingOn }: Door): string {
  if (isOpen) return 'Payments may begin.';
  const many = goingOn === COUNTED_MAX ? `at least ${String(goingOn)}` : String(goingOn);
  return `No payment begins. Authorized payments that are still paid out: ${many}. To hold those too, run "payctl payouts stop".`;
}

export const closeCorridor = doorVerb({
  ...{ name: 'close <corridor>', of: 'corridor', isOpen: false },
  does: 'Let no payment of a corridor begin: creates and confirms get 503. Reads, cancels and what is authorized go on.',
});
export const openCorridor = doorVerb({
  ...{ name: 'open <corridor>', of: 'corridor', isOpen: true },
  does: 'Let payments of a corridor begin again.',
});
export const suspend = doorVerb({
  ...{ name: 'suspend <partner>', of: 'partner_id', isOpen: false },
  does: 'Let no payment of a partner begin: creates get 403, confirms 409. Reads, cancels and what is authorized go on.',
});
export const resume = doorVerb({
  ...{ name: 'resume <partner>', of: 'partner_id', isOpen: true },
  does: 'Let payments of a suspended partner begin again.',
});
