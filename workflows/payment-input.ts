// What a payment's workflow is started with, as it may come by hand: `temporal workflow start` sends whatever is typed.
import { ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import type { PaymentStart } from '../src/domain/payment-start';
import { NOT_A_PAYMENT, paymentWorkflowId } from './messages';

const NUMBERS = ['amountUsdCents', 'createdAtMs', 'expiresAtMs'] as const;
const TEXTS = ['intentId', 'partnerId', 'corridor', 'status'] as const;

/** @throws ApplicationFailure, which ends the workflow, when the input is not a payment of this workflow's id */
export function paymentStartOf(input: PaymentStart | undefined): PaymentStart {
  if (input !== undefined && isPaymentStart(input)) return input;
  throw ApplicationFailure.nonRetryable(
    `The input is not the payment of workflow ${workflowInfo().workflowId}. The service starts payments itself; nothing was moved.`,
    NOT_A_PAYMENT,
  );
}

function isPaymentStart(input: PaymentStart): boolean {
  const members: Readonly<Record<string, unknown>> = { ...input };
  return (
    NUMBERS.every((name) => Number.isSafeInteger(members[name])) &&
    TEXTS.every((name) => typeof members[name] === 'string') &&
    paymentWorkflowId(input.intentId) === workflowInfo().workflowId
  );
}
