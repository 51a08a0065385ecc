// What `payctl reconcile` prints: JSON members for programs, and lines for people.
import type { FindingRow } from '../../../postgres/reports/findings';
import { indented, printable, recordLines, toTheSecond, WIDTH, wrapped } from '../../layout';
import { attentionFor, nextCommand } from './finding-sentences';
import type { Reconciled } from './reconcile';

export function reconciliationJson(reconciled: Reconciled): object {
  const { period, reconciledPeriod } = reconciled;
  return {
    reconciliation_id: reconciled.reconciliationId,
    is_clean: reconciled.isClean,
    environment: reconciled.environment,
    statement: reconciled.statement,
    statement_sha256: reconciled.sha256.toString('hex'),
    corridor: reconciled.corridor,
    since: period.since,
    until: period.until,
    reconciled_since: reconciledPeriod?.since ?? null,
    reconciled_until: reconciledPeriod?.until ?? null,
    lines: reconciled.lines,
    lines_not_paid: reconciled.linesNotPaid,
    lines_outside: reconciled.linesOutside,
    open_lines: reconciled.openLines,
    open_payments: reconciled.openPayments,
    differences: reconciled.differences,
    closed: reconciled.closed,
    lifted_stops: reconciled.lifted.length,
    findings: reconciled.findings.map(findingJson),
  };
}

export function findingJson(finding: FindingRow): object {
  return {
    finding_id: finding.finding_id,
    kind: finding.kind,
    key: finding.payout_key,
    intent_id: finding.intent_id,
    found_at: finding.found_at,
    is_new: finding.is_new,
    status: finding.status,
    amount_usd_cents: finding.amount_usd_cents,
    corridor: finding.corridor,
    captured_at: finding.captured_at,
    line: finding.line,
    stated_amount_usd_cents: finding.stated_usd_cents,
    stated_local: finding.stated_local,
    stated_cost: finding.stated_cost,
    stated_corridor: finding.stated_corridor,
    times: finding.times,
    moved_from: finding.moved_from,
    moved_until: finding.moved_until,
    what: attentionFor(finding),
    next: nextCommand(finding),
  };
}

export function reconciliationLines(reconciled: Reconciled): readonly string[] {
  const { findings, differences, period } = reconciled;
  const counted = {
    differences,
    since: toTheSecond(period.since),
    until: toTheSecond(period.until),
    lines: reconciled.lines,
    lines_outside: reconciled.linesOutside,
    open_lines: reconciled.openLines,
    open_payments: reconciled.openPayments,
    closed: reconciled.closed,
  };
  const sentences = [
    ...(reconciled.openLines + reconciled.openPayments > 0
      ? ['Not reconciled, since too near to an edge: open_lines and open_payments.']
      : []),
    ...(reconciled.isPermitted ? [] : [NOT_PERMITTED]),
    ...reconciled.lifted.map(({ at }) => `The stop of payouts of ${toTheSecond(at)} is lifted.`),
    ...(findings.length < differences ? [`The first ${findings.length} are shown.`] : []),
  ];
  return [...findings.flatMap(findingLines), ...recordLines(counted), ...sentences];
}

/** The command is on its own line and never wrapped, so that it can be copied. */
export function findingLines(finding: FindingRow): readonly string[] {
  const where = finding.line === null ? '' : `  line ${finding.line}`;
  const since = finding.is_new ? '' : ` Known since ${toTheSecond(finding.found_at)}.`;
  const next = nextCommand(finding) ?? 'Ask the provider about this key.';
  return [
    `${finding.kind}  ${printable(finding.payout_key)}${where}`,
    ...wrapped(attentionFor(finding) + since, WIDTH - 2).map(indented),
    indented(next),
    '',
  ];
}

const NOT_PERMITTED =
  'Nobody has approved this statement, so it closes no finding and lifts no stop. An operator asks: the same command with --ask.';
