// Sends one HTTP request and reads its response, bounded in time and size.
import { request, type Dispatcher } from 'undici';

export interface OutboundRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** For the whole exchange: name look-up, connection, request and complete response. */
  readonly timeoutMs: number;
  /** At most this much of the response body is read. */
  readonly maxBytes: number;
  /** Called on the open connection before the first byte. If it returns false, nothing is sent. */
  readonly isInTime?: () => boolean;
  /** Cancels the exchange when it is aborted. */
  readonly signal?: AbortSignal;
}

export interface OutboundReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
  /** Whether the response body was longer than `maxBytes`. */
  readonly isCut: boolean;
}

/** The exchange did not complete within `timeoutMs`. The request may have been sent. */
export class ExchangeTimeout extends Error {
  override name = 'ExchangeTimeout';
}

/** `isInTime` returned false: connecting was slow, or the process paused. Nothing was sent. */
export class SentTooLate extends Error {
  override name = 'SentTooLate';
}

/** The signal was aborted. The request may have been sent. */
export class ExchangeCancelled extends Error {
  override name = 'ExchangeCancelled';
}

/**
 * @param url already checked; it is not parsed again, so the checked host is the one called
 * @throws ExchangeTimeout, SentTooLate, ExchangeCancelled, or an error of undici or of the system
 */
export async function exchange(
  dispatcher: Dispatcher,
  url: URL,
  { timeoutMs, signal, ...outgoing }: Omit<OutboundRequest, 'url'>,
): Promise<OutboundReply> {
  const end = new AbortController();
  const cancel = () => {
    end.abort(new ExchangeCancelled('cancelled before a response arrived'));
  };
  const timer = setTimeout(() => {
    end.abort(new ExchangeTimeout('no complete response in time'));
  }, timeoutMs);
  signal?.addEventListener('abort', cancel, { once: true });
  if (signal?.aborted === true) cancel();
  try {
    // undici notices an abort only once the connection is open. The race rejects at once.
    return await Promise.race([
      send(dispatcher, url, outgoing, end.signal),
      rejectOnAbort(end.signal),
    ]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const fail = () => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}

/** Disables undici's two timers per request, because the timer of `exchange` bounds everything. */
const ONE_TIMER = { headersTimeout: 0, bodyTimeout: 0 };

async function send(
  dispatcher: Dispatcher,
  url: URL,
  { method, headers, body, maxBytes, isInTime }: Omit<OutboundRequest, 'url' | 'timeoutMs'>,
  signal: AbortSignal,
): Promise<OutboundReply> {
  const reply = await request(url, {
    dispatcher: isInTime === undefined ? dispatcher : dispatcher.compose(sendOnlyIf(isInTime)),
    ...{ method, signal, headers: headers ?? {}, body: body ?? null, ...ONE_TIMER },
  });
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of reply.body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    // Leaving the loop closes the connection.
    if (length > maxBytes) break;
  }
  return {
    status: reply.statusCode,
    headers: reply.headers,
    body: Buffer.concat(chunks).subarray(0, maxBytes),
    isCut: length > maxBytes,
  };
}

/**
 * Checks the time once more when the connection is open: a process that was frozen handles
 * connection events before its timers.
 */
function sendOnlyIf(isInTime: () => boolean): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart(controller, context) {
        if (isInTime()) handler.onRequestStart?.(controller, context);
        else
          controller.abort(
            new SentTooLate('not sent: connecting was too slow, or the worker paused'),
          );
      },
      onRequestUpgrade: (...upgrade) => handler.onRequestUpgrade?.(...upgrade),
      onResponseStart: (...start) => handler.onResponseStart?.(...start),
      onResponseData: (...data) => handler.onResponseData?.(...data),
      onResponseEnd: (...end) => handler.onResponseEnd?.(...end),
      onResponseError: (...error) => handler.onResponseError?.(...error),
    });
}
