// Temporal's side: no run breaks, and each ends where its row ended (architecture, section 3, "Legibility and budget").
import type { Evidence, RunFacts } from '../report/evidence';
import { faults, judgeEach, type Finding } from '../report/finding';
import { hasEnded, type Payment } from './payments';

/** An operator may terminate a run; another one follows it. */
const FINE: readonly string[] = ['COMPLETED', 'RUNNING', 'TERMINATED'];

export function checkRuns({ runs }: Evidence, payments: readonly Payment[]): readonly Finding[] {
  return [
    judgeEach('no execution ended Failed', runs, ({ workflowId, status, type }) =>
      faults([!FINE.includes(status), `${type} ${workflowId} ended ${status}`]),
    ),
    judgeEach('no workflow broke', runs, brokenTasks),
    judgeEach('every run agrees with its row', payments, disagreeing),
  ];
}

function brokenTasks({ workflowId, brokenTasks }: RunFacts): readonly string[] {
  return brokenTasks.map((why) => `${workflowId}: ${why}`);
}

function disagreeing(payment: Payment): readonly string[] {
  const { intentId, status, runs, transitions } = payment;
  const ended = runs.filter((run) => run.status === 'COMPLETED');
  const isOpen = runs.some((run) => run.status === 'RUNNING');
  const visited = transitions.map(({ to }) => to);
  return faults(
    [runs.length === 0, `${intentId} has no run`],
    [
      ended.some(({ result }) => result === null || !visited.includes(result)),
      `${intentId} is ${status}; its run ended ${ended.map(({ result }) => result).join(' and ')}`,
    ],
    [ended.length > 1, `${intentId} has ${ended.length} completed runs`],
    [!hasEnded(payment) && !isOpen, `${intentId} is ${status}, and nothing runs for it`],
  );
}
