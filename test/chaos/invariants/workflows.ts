// No workflow breaks, and each ends with the status of its row (architecture, section 3,
// "Legibility and budget").
import type { Evidence, WorkflowFacts } from '../report/evidence';
import { problems, checkEach, type Finding } from '../report/finding';
import { hasEnded, type Payment } from './payments';

/** Operators may terminate a workflow; another one follows it. */
const FINE: readonly string[] = ['COMPLETED', 'RUNNING', 'TERMINATED'];

export function checkWorkflows(
  { workflows }: Evidence,
  payments: readonly Payment[],
): readonly Finding[] {
  return [
    checkEach('no workflow failed or timed out', workflows, ({ workflowId, status, type }) =>
      problems([!FINE.includes(status), `${type} ${workflowId} ended ${status}`]),
    ),
    checkEach('no workflow threw or failed to replay', workflows, brokenTasks),
    checkEach('every workflow agrees with its row', payments, disagreeing),
  ];
}

function brokenTasks({ workflowId, brokenTasks }: WorkflowFacts): readonly string[] {
  return brokenTasks.map((why) => `${workflowId}: ${why}`);
}

function disagreeing(payment: Payment): readonly string[] {
  const { intentId, status, workflows, transitions } = payment;
  const ended = workflows.filter((workflow) => workflow.status === 'COMPLETED');
  const isOpen = workflows.some((workflow) => workflow.status === 'RUNNING');
  const visited = transitions.map(({ to }) => to);
  return problems(
    // A payment whose workflow was never started expires by its row (decision 132).
    [workflows.length === 0 && status !== 'expired', `${intentId} has no workflow`],
    [
      ended.some(({ result }) => result === null || !visited.includes(result)),
      `${intentId} is ${status}; its workflow ended ${ended.map(({ result }) => result).join(' and ')}`,
    ],
    [ended.length > 1, `${intentId} has ${ended.length} completed workflows`],
    [!hasEnded(payment) && !isOpen, `${intentId} is ${status}, and no workflow runs for it`],
  );
}
