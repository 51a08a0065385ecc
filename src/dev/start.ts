// `npm start` in a clone: bundles workflows and checkout from the sources.
import { bundleCheckout, writeCheckout } from './package/checkout-bundle';
import { workflowBundle } from './package/workflow-bundle';
import { serveUntilStopped } from './serve';

serveUntilStopped({
  workflows: workflowBundle,
  // At every start: it takes half a second, in parallel with longer steps.
  checkout: async (folder) => {
    writeCheckout(folder, await bundleCheckout());
  },
});
