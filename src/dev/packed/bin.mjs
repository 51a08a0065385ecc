#!/usr/bin/env node
// `payment-intents-sandbox`, the program of the packed sandbox (decision 142): starts it, as `npm
// start` does in a clone; with `try` it serves the page of `npm run sandbox:try`; with `payctl` it
// is that program.
import { helpText, USAGE } from './help.js';

const PROGRAMS = new Map([
  [undefined, '../packed/start.js'],
  ['try', '../try/try.js'],
]);
const [, , verb, ...others] = process.argv;
const program = PROGRAMS.get(verb);

if (verb === 'payctl') {
  const { payctl } = await import('../../ops/payctl.js');
  process.exitCode = await payctl(others);
} else if (verb === '--help') {
  process.stdout.write(helpText());
} else if (program === undefined || others.length > 0) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else {
  if (verb === undefined) await import('../setup.mjs');
  // The setup sets the exit code when it has failed.
  if (process.exitCode === undefined) await import(program);
}
