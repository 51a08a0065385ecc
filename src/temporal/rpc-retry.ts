// Retries of calls to Temporal.
import { defaultGrpcRetryOptions, makeGrpcRetryInterceptor } from '@temporalio/client';

type Interceptor = ReturnType<typeof makeGrpcRetryInterceptor>;
type NextCall = Parameters<Interceptor>[1];
type Call = ReturnType<NextCall>;

/** A call has few attempts: every caller repeats it on its own, above all the workflow repairer. */
const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 50;

/** gRPC's code CANCELLED, which is not retried. */
const CANCELLED = 1;

const retry = makeGrpcRetryInterceptor(
  defaultGrpcRetryOptions({ maxAttempts: ATTEMPTS, initialIntervalMs: () => FIRST_PAUSE_MS }),
);

/** The SDK's retries. A call whose connection is closed before its next attempt ends cancelled. */
export const retryCalls: Interceptor = (options, nextCall) =>
  retry(options, (attempt) => {
    try {
      return nextCall(attempt);
    } catch (error) {
      // A closed connection throws. The SDK begins the next attempt in a timer, where nothing
      // catches the error: the process would end, and the caller would wait for ever.
      return cancelledCall(String(error));
    }
  });

function cancelledCall(details: string): Call {
  const nothing = () => undefined;
  return {
    start(metadata, listener) {
      listener?.onReceiveMessage?.(null);
      listener?.onReceiveStatus?.({ code: CANCELLED, details, metadata });
    },
    sendMessage: nothing,
    sendMessageWithContext: nothing,
    startRead: nothing,
    halfClose: nothing,
    cancelWithStatus: nothing,
    getPeer: () => 'none',
    getAuthContext: () => null,
  };
}
