// Modules without state, loaded once per worker instead of once per workflow (decision 126).
import '@temporalio/workflow';
// Constants. For each traced workflow they would take two of four milliseconds, and 450 kB.
import '@opentelemetry/semantic-conventions';
import '../src/domain/intents/manual-resolution';
import '../src/domain/intents/transitions';
import '../src/domain/limits';
import '../src/domain/money';

// The SDK takes a stack trace for every promise of a workflow and maps each frame to its source.
// With Node's default of ten frames that is a tenth of the worker's CPU.
Error.stackTraceLimit = 3;
