// Money never moves twice and never gets lost (architecture, sections 1 and 8).
import type { Evidence } from '../report/evidence';
import { problems, checkEach, type Finding } from '../report/finding';
import { intentOf, type Payment } from './payments';

export function checkMoney(evidence: Evidence, payments: readonly Payment[]): readonly Finding[] {
  const byId = new Map(payments.map((payment) => [payment.intentId, payment]));
  return [
    checkEach('at most one debit and one payout per intent', payments, movedTwice),
    checkEach('a payout implies a debit', evidence.journal, (entry) =>
      paidWithoutDebit(entry, byId.get(intentOf(entry.key))),
    ),
    checkEach(
      'a debit without a payout is released or needs attention',
      payments.filter(({ debits, executions }) => debits.length > 0 && executions.length === 0),
      neitherGivenBackNorWaiting,
    ),
    checkEach(
      'a captured payment is paid out, and the ledger matches its status',
      payments.filter(({ transfers }) => transfers.length > 0),
      wronglyKept,
    ),
    checkEach(
      'the ledger sums to zero',
      [...evidence.ledger.balances],
      unbalanced(evidence, payments),
    ),
    checkEach('amounts agree everywhere', payments, differingAmounts(evidence)),
    ...evidence.ledger.checks.map((check) => ({
      ...check,
      name: `payctl ledger check: ${check.name}`,
    })),
  ];
}

function movedTwice(payment: Payment): readonly string[] {
  const { intentId, debits, captures, releases, refunds, executions } = payment;
  const ends = captures.length + releases.length;
  return problems(
    [debits.length > 1, `${intentId} was debited ${debits.length} times`],
    [executions.length > 1, `${intentId} was paid out ${executions.length} times`],
    [ends > 1, `${intentId} was captured or released ${ends} times`],
    [refunds.length > 1, `${intentId} was refunded ${refunds.length} times`],
    [
      executions.some(({ key }) => key !== `${intentId}:payout`),
      `${intentId} was paid out under ${executions.map(({ key }) => key).join(' and ')}`,
    ],
  );
}

function paidWithoutDebit({ key }: { readonly key: string }, payment: Payment | undefined) {
  if (payment === undefined) return [`${key} was paid out, and there is no such intent`];
  const { debits, releases } = payment;
  return problems(
    [debits.length === 0, `${key} was paid out and never debited`],
    [releases.length > 0, `${key} was paid out, and its debit was given back`],
  );
}

function neitherGivenBackNorWaiting({ intentId, status, releases, attention }: Payment) {
  const isGivenBack = releases.length === 1 && (status === 'failed' || status === 'cancelled');
  const isWaiting = status === 'authorized' && attention !== null && releases.length === 0;
  if (isGivenBack || isWaiting) return [];
  return [`${intentId} is ${status}, debited, not paid out, and not given back`];
}

function wronglyKept({ intentId, status, captures, executions, refunds }: Payment) {
  const isCaptured = status === 'captured' || status === 'refunded';
  return problems(
    [isCaptured && executions.length === 0, `${intentId} is ${status}, and nothing was paid out`],
    [
      isCaptured !== captures.length > 0,
      `${intentId} is ${status} with ${captures.length} captures`,
    ],
    [
      (status === 'refunded') !== refunds.length > 0,
      `${intentId} is ${status} with ${refunds.length} refunds`,
    ],
  );
}

/** Checks every account's balance against the sum, the slots or the payments. */
function unbalanced({ ledger }: Evidence, payments: readonly Payment[]) {
  const { balances, slotsCents } = ledger;
  const total = [...balances.values()].reduce((sum, cents) => sum + cents, 0);
  const reserved = sum(
    payments.filter(({ status }) => status === 'authorized').flatMap(({ debits }) => debits),
  );
  return ([account, cents]: readonly [string, number]): readonly string[] =>
    problems(
      [total !== 0, `all accounts together hold ${total} cents, of which ${account} ${cents}`],
      [
        account === 'holding' && cents !== slotsCents,
        `holding is ${cents}, its slots ${slotsCents}`,
      ],
      [
        account === 'reserved' && cents !== reserved,
        `reserved is ${cents}, what is authorized ${reserved}`,
      ],
    );
}

function sum(transfers: readonly { readonly cents: number }[]): number {
  return transfers.reduce((total, { cents }) => total + cents, 0);
}

type ReportedAmount = readonly [
  where: string,
  cents: number | null | undefined,
  corridor?: string | undefined,
];

/**
 * Compares ledger, journal, webhooks, GET and the workflow's input with the row. `answers.ts`
 * checks the API answers.
 */
function differingAmounts({ readings }: Evidence) {
  return (payment: Payment): readonly string[] => {
    const { intentId, cents, corridor, transfers, executions, received, workflows } = payment;
    const reading = readings.get(intentId);
    const reported: readonly ReportedAmount[] = [
      ...transfers.map((one) => [`the ledger's ${one.step}`, one.cents] as const),
      ...executions.map((one) => ['the journal', one.amount_usd_cents, one.corridor] as const),
      ...received.map(({ event }) => ['a webhook', event?.cents, event?.corridor] as const),
      ...workflows.map((one) => ['its workflow', one.cents] as const),
      ['GET', reading?.cents, reading?.corridor],
    ];
    return reported
      .filter(([, other, way]) => other !== cents || (way !== undefined && way !== corridor))
      .map(
        ([where, other]) =>
          `${intentId} is of ${cents} cents to ${corridor}; ${where} says ${other}`,
      );
  };
}
