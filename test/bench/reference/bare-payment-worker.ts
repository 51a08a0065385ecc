// The worker of the bare payment: activities that do nothing.
import type { BareSteps } from './bare-payment';
import { runBareWorker } from './bare-worker';

const nothing = () => Promise.resolve();
const activities: BareSteps = { authorize: nothing, payOut: nothing, deliver: nothing };

void runBareWorker({
  taskQueue: 'bare-payment',
  workflowsPath: require.resolve('./bare-payment'),
  activities: { ...activities },
});
