// Loaded once per worker and shared by all runs, instead of once per run (decision 126): modules without state of their own.
import '@temporalio/workflow';
import '../src/domain/intents/manual-resolution';
import '../src/domain/intents/transitions';
import '../src/domain/limits';
import '../src/domain/money';

// The SDK takes a stack trace of every promise that a run makes and looks up each frame in a source map; with Node's ten frames
// that is a tenth of what a worker costs.
Error.stackTraceLimit = 3;
