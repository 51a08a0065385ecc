// Checks all invariants of architecture, section 8, over the evidence of one run.
import type { Evidence } from './evidence';
import type { Finding } from './finding';
import { checkAnswers } from '../invariants/answers';
import { checkCredentials } from '../invariants/credentials';
import { checkMoney } from '../invariants/money';
import { checkPaths } from '../invariants/paths';
import { paymentsIn } from '../invariants/payments';
import { checkReconciliation } from '../invariants/reconciliation';
import { checkWorkflows } from '../invariants/workflows';
import { checkWebhooks } from '../invariants/webhooks';

export function checkAll(evidence: Evidence, nowMs: number): readonly Finding[] {
  const payments = paymentsIn(evidence);
  return [
    ...checkMoney(evidence, payments),
    ...checkPaths(evidence, payments),
    ...checkWebhooks(evidence, payments),
    ...checkCredentials(evidence),
    ...checkAnswers(evidence, nowMs),
    ...checkWorkflows(evidence, payments),
    ...checkReconciliation(evidence),
  ];
}
