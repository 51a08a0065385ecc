// Loaded once per worker, before any run. The SDK takes a stack trace of every promise that a run makes and looks up each
// frame in a source map; with Node's ten frames that is a tenth of what a worker costs (decision 126).
Error.stackTraceLimit = 3;
