// Prints one plain line at the end of a run, `N passed, N failed`, for CI and people.

/**
 * @typedef {object} Results the used members of Jest's AggregatedResult
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests skipped ones
 * @property {number} numTodoTests
 * @property {number} numRuntimeErrorTestSuites suites that could not run
 */

/**
 * A suite that could not run counts as one failed test, because it hides at least one.
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
    // At the exit of the process, because Jest's summary and the teardown may print before it.
    process.once('exit', () => process.stdout.write(`${closingLine(results)}\n`));
  }
}

module.exports = SummaryReporter;
