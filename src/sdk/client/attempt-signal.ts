// Bounds one attempt by its timeout and the caller's signal. Edge runtimes may lack AbortSignal.any
// and AbortSignal.timeout, and a timer of ours ends with the attempt.

export interface AttemptSignal {
  /** For fetch. */
  readonly signal: AbortSignal;
  readonly hasTimedOut: () => boolean;
  /** To be called when the attempt has ended. */
  readonly release: () => void;
}

/** @param caller its abort ends the attempt at once */
export function attemptSignal(timeoutMs: number, caller: AbortSignal | undefined): AttemptSignal {
  const controller = new AbortController();
  let hasTimedOut = false;
  const timer = setTimeout(() => {
    hasTimedOut = true;
    controller.abort(new DOMException(`No answer within ${timeoutMs} ms.`, 'TimeoutError'));
  }, timeoutMs);
  const abort = () => controller.abort(caller?.reason);
  caller?.addEventListener('abort', abort);
  if (caller?.aborted === true) abort();
  return {
    signal: controller.signal,
    hasTimedOut: () => hasTimedOut,
    release: () => {
      clearTimeout(timer);
      caller?.removeEventListener('abort', abort);
    },
  };
}
