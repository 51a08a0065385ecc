// One request and its answer, bounded in time and size.
import { request, type Dispatcher } from 'undici';

export interface OutboundRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** For everything: name, connection, request and the whole answer. */
  readonly timeoutMs: number;
  /** More than this of the answer's body is not read. */
  readonly maxBytes: number;
  /** Called when the connection is open, before a byte is written. Nothing is sent when it returns false. */
  readonly isInTime?: () => boolean;
  /** Ends the exchange when it is aborted. */
  readonly signal?: AbortSignal;
}

export interface OutboundReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
  /** Whether the answer went on beyond `maxBytes`. */
  readonly isCut: boolean;
}

/** Nothing more was answered in time: name, connection, request and answer together. */
export class ExchangeTimeout extends Error {
  override name = 'ExchangeTimeout';
}

/** The process was held up until it was too late to send this request. Nothing was sent. */
export class SentTooLate extends Error {
  override name = 'SentTooLate';
}

/** Its signal was aborted. The request may have been sent. */
export class ExchangeCancelled extends Error {
  override name = 'ExchangeCancelled';
}

/**
 * @param url an address that was checked and is not parsed again
 * @throws ExchangeTimeout, SentTooLate, ExchangeCancelled, or the error of undici or of the system that ended it
 */
export async function exchange(
  dispatcher: Dispatcher,
  url: URL,
  { timeoutMs, signal, ...outgoing }: Omit<OutboundRequest, 'url'>,
): Promise<OutboundReply> {
  const end = new AbortController();
  const cancel = () => {
    end.abort(new ExchangeCancelled('cancelled before it was answered'));
  };
  const timer = setTimeout(() => {
    end.abort(new ExchangeTimeout('no whole answer in time'));
  }, timeoutMs);
  signal?.addEventListener('abort', cancel, { once: true });
  if (signal?.aborted === true) cancel();
  try {
    // undici notices an abort only once the connection is open: the caller does not wait for that.
    return await Promise.race([
      send(dispatcher, url, outgoing, end.signal),
      rejectedBy(end.signal),
    ]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  }
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const fail = () => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}

/** The timer of `exchange` bounds all of it; undici would set two more for each request. */
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
    // Leaving the loop ends the connection.
    if (length > maxBytes) break;
  }
  return {
    status: reply.statusCode,
    headers: reply.headers,
    body: Buffer.concat(chunks).subarray(0, maxBytes),
    isCut: length > maxBytes,
  };
}

/** A process that was frozen hears of its open connections before it hears of its timers, so the time is checked here too. */
function sendOnlyIf(isInTime: () => boolean): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart(controller, context) {
        if (isInTime()) handler.onRequestStart?.(controller, context);
        else
          controller.abort(new SentTooLate('the worker was held up until it was too late to send'));
      },
      onRequestUpgrade: (...upgrade) => handler.onRequestUpgrade?.(...upgrade),
      onResponseStart: (...start) => handler.onResponseStart?.(...start),
      onResponseData: (...data) => handler.onResponseData?.(...data),
      onResponseEnd: (...end) => handler.onResponseEnd?.(...end),
      onResponseError: (...error) => handler.onResponseError?.(...error),
    });
}
