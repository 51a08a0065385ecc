// A timer beside each local activity. The SDK ends a task early, empty, when its local activity
// takes longer than 80 % of the task's timeout. A worker that has lost the workflow joins an empty
// task to the next one; but once an update was accepted there, a replay keeps the two apart, finds
// another order of commands, and the payment stands still (temporalio/sdk-rust issue 1146). With a
// timer no task is empty. One that is cancelled in its own task leaves no event.
import { CancellationScope, sleep, type WorkflowInterceptors } from '@temporalio/workflow';
import { TASK_ENDS_EARLY_AFTER_MS } from '../src/domain/limits';

/** One starts or fires in each task that ends early. */
const FIRES_AFTER_MS = TASK_ENDS_EARLY_AFTER_MS - 1_000;

export const interceptors = (): WorkflowInterceptors => ({
  outbound: [
    {
      async scheduleLocalActivity(input, next) {
        const scope = new CancellationScope();
        scope.run(tick).catch(() => undefined);
        try {
          return await next(input);
        } finally {
          scope.cancel();
        }
      },
    },
  ],
});

async function tick(): Promise<never> {
  for (;;) await sleep(FIRES_AFTER_MS, { summary: 'The local activity goes on' });
}
