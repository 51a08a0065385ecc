// The worker of the bare workflow: three activities that do nothing.
import type { BareActivities } from './bare-flow';
import { runBareWorker } from './bare-worker';

const nothing = () => Promise.resolve();
const activities: BareActivities = { first: nothing, second: nothing, third: nothing };

void runBareWorker({
  taskQueue: 'bare',
  workflowsPath: require.resolve('./bare-flow'),
  activities: { ...activities },
});
