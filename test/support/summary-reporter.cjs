// Closes a run with one plain line, `N passed, N failed`, which CI and people read alike.

/**
 * @typedef {object} Results what we read of Jest's AggregatedResult
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests skipped ones
 * @property {number} numTodoTests
 * @property {number} numRuntimeErrorTestSuites suites that could not run
 */

/**
 * A suite that could not run counts as one failed test, since it has hidden at least one.
 * @param {Results} results
 */
function closingLine(results) {
  const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
  const skipped = results.numPendingTests + results.numTodoTests;
  const line = `${results.numPassedTests} passed, ${failed} failed`;
  return skipped > 0 ? `${line}, ${skipped} skipped` : line;
}

class SummaryReporter {
  /**
   * @param {unknown} _contexts
   * @param {Results} results
   */
  onRunComplete(_contexts, results) {
    // At the very end of the process: Jest's own summary and the teardown may still have something to say.
    process.once('exit', () => process.stdout.write(`${closingLine(results)}\n`));
  }
}

module.exports = SummaryReporter;
