#!/usr/bin/env node
// `payment-intents-sandbox`, the program of the packed sandbox (decision 142): starts it, as `npm
// start` does in a clone; `pay` is `npm run sandbox:pay`, and `payctl` is that program.
import { helpText, USAGE } from './help.js';

const [, , verb, ...others] = process.argv;

if (verb === 'payctl') {
  const { payctl } = await import('../../ops/payctl.js');
  process.exitCode = await payctl(others);
} else if (verb === 'pay') {
  const { payPrinted } = await import('../demo/pay.js');
  process.exitCode = await payPrinted(others);
} else if (verb === '--help') {
  process.stdout.write(helpText());
} else if (verb !== undefined) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else {
  await import('../setup.mjs');
  // The setup sets the exit code when it has failed.
  if (process.exitCode === undefined) await import('../packed/start.js');
}
