// Starts bare payments by `POST /create/ID` and confirms them by `POST /confirm/ID`.
import { barePayment, confirmUpdate, STATUS } from './bare-payment';
import { serveBare } from './bare-server';

/** As in the product, the start delay keeps workflow tasks from running before the confirm. */
const DEADLINE_MS = 1_800_000;

void serveBare((client, path) => {
  const [, verb, workflowId = ''] = path.split('/');
  if (verb === 'confirm') return client.workflow.getHandle(workflowId).executeUpdate(confirmUpdate);
  return client.workflow.start(barePayment, {
    ...{ workflowId, taskQueue: 'bare-payment', startDelay: DEADLINE_MS },
    typedSearchAttributes: [{ key: STATUS, value: 'created' }],
  });
});
