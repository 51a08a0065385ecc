// A failure of the local stack that is told in its one sentence, without a stack trace.

/** Its message is for people: what is wrong, and what to do. */
export class StartError extends Error {
  override name = 'StartError';
}
