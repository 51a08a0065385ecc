// Asks a payment's run to take what operations declare about its payout (docs/operations.md, `intents resolve`).
import { setTimeout as pause } from 'node:timers/promises';
import { WorkflowNotFoundError, WorkflowUpdateFailedError, type Client } from '@temporalio/client';
import type { PaymentStart } from '../domain/payment-start';
import {
  paymentWorkflowId,
  resolvePayoutUpdate,
  type Resolution,
  type ResolutionReply,
} from '../../workflows/messages';
import { callUntil } from './connection';
import { hasCompleted, startPayment } from './payment-start';

export type { Resolution };

export type ResolutionAnswer =
  | { readonly outcome: 'judged'; readonly reply: ResolutionReply }
  /** Its run asks the provider by itself, or the payment has ended: there is nothing to declare. */
  | { readonly outcome: 'not_waiting' };

interface ResolutionRequest {
  readonly payment: PaymentStart;
  readonly resolution: Resolution;
  /** The present instant. */
  readonly now: Date;
}

const ASK_AGAIN_AFTER_MS = 500;

/** @throws Error when it is not known what happened: Temporal is away, or the deadline came first */
export async function requestResolution(
  client: Client,
  { payment, resolution, now }: ResolutionRequest,
  deadline: AbortSignal,
): Promise<ResolutionAnswer> {
  const ask = () => askRun(client, payment, resolution, deadline);
  const answer = await ask();
  if (answer !== 'no_run') return answer;
  const start = () => startPayment(client, payment, now);
  const hasEnded = await callUntil(client, deadline, start).then(
    () => false,
    refuseUnlessCompleted,
  );
  if (hasEnded) return { outcome: 'not_waiting' };
  // The run was gone. A new one asks the provider first, and waits for operations a moment later.
  for (;;) {
    const again = await ask();
    if (again !== 'no_run' && again.outcome === 'judged') return again;
    await pause(ASK_AGAIN_AFTER_MS, undefined, { signal: deadline });
  }
}

function refuseUnlessCompleted(error: unknown): true {
  if (hasCompleted(error)) return true;
  throw error;
}

async function askRun(
  client: Client,
  { intentId }: PaymentStart,
  resolution: Resolution,
  deadline: AbortSignal,
): Promise<ResolutionAnswer | 'no_run'> {
  const run = client.workflow.getHandle(paymentWorkflowId(intentId));
  try {
    const reply = await callUntil(client, deadline, () =>
      run.executeUpdate(resolvePayoutUpdate, { args: [resolution] }),
    );
    return { outcome: 'judged', reply };
  } catch (error) {
    // Refused by the run's guard: the only failure that it has for this.
    if (error instanceof WorkflowUpdateFailedError) return { outcome: 'not_waiting' };
    if (error instanceof WorkflowNotFoundError) return 'no_run';
    throw error;
  }
}
