// A failure of the local stack whose message is shown without a stack trace.

/** The message is shown to the user: what is wrong, and what to do. */
export class StartError extends Error {
  override name = 'StartError';
}
