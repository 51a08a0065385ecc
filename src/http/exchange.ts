// One request and its answer over undici's dispatcher, bounded in time and size. Its own convenient calls cost twice as much
// CPU (62 µs a POST by `request` with an AbortSignal, 26 µs so), and a backlog of webhooks is nothing but POSTs.
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

export interface OutboundRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** For everything: name, connection, request and the whole answer. */
  readonly timeoutMs: number;
  /** More than this of the answer's body is not read. */
  readonly maxBytes: number;
  /** Asked when the connection is open, before a byte is written: if not, nothing is sent. Always, where it is not given. */
  readonly isInTime?: () => boolean;
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

/**
 * Sends what is told to this address, which was judged and is not parsed again.
 * @throws ExchangeTimeout, or the error of undici or of the system that ended it
 */
export function exchange(
  dispatcher: Dispatcher,
  { origin, pathname, search }: URL,
  { method, headers, body, ...bounds }: Omit<OutboundRequest, 'url'>,
): Promise<OutboundReply> {
  return new Promise((resolve, reject) => {
    const handler = new Exchange({ resolve, reject, ...bounds });
    const path = pathname + search;
    dispatcher.dispatch(
      { origin, path, method, headers: headers ?? {}, body: body ?? null, ...ONE_TIMER },
      handler,
    );
  });
}

/** The one below bounds all of it; undici would set two more for each request. */
const ONE_TIMER = { headersTimeout: 0, bodyTimeout: 0 };

interface Outcome extends Pick<OutboundRequest, 'timeoutMs' | 'maxBytes' | 'isInTime'> {
  readonly resolve: (reply: OutboundReply) => void;
  readonly reject: (error: Error) => void;
}

const EMPTY = Buffer.alloc(0);
const HELD_UP = 'the worker was held up until it was too late to send';

/** The first of the answer's end, its bound, an error and the timeout counts; what comes after it is cut. */
class Exchange implements Dispatcher.DispatchHandler {
  private readonly outcome: Outcome;
  private readonly timer: NodeJS.Timeout;
  private readonly chunks: Buffer[] = [];
  private controller: Dispatcher.DispatchController | undefined;
  private end: Error | undefined;
  private status = 0;
  private headers: IncomingHttpHeaders = {};
  private length = 0;

  constructor(outcome: Outcome) {
    this.outcome = outcome;
    this.timer = setTimeout(() => {
      this.fail(new ExchangeTimeout('no whole answer in time'));
    }, outcome.timeoutMs);
  }

  /**
   * Not before there is a connection. One that came too late is sent nothing, also where the timer has not fired yet: a process
   * that was frozen hears of its connections before it hears of its timers.
   */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.end !== undefined) controller.abort(this.end);
    else if (this.outcome.isInTime?.() === false) this.fail(new SentTooLate(HELD_UP));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    // Informational answers come before the answer.
    if (status < 200) return;
    this.status = status;
    this.headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.chunks.push(chunk);
    this.length += chunk.length;
    if (this.length <= this.outcome.maxBytes) return;
    this.succeed();
    this.end = new Error('more than is read');
    controller.abort(this.end);
  }

  onResponseEnd(): void {
    this.succeed();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(error);
  }

  private succeed(): void {
    clearTimeout(this.timer);
    const { resolve, maxBytes } = this.outcome;
    resolve({
      status: this.status,
      headers: this.headers,
      body: this.length === 0 ? EMPTY : Buffer.concat(this.chunks).subarray(0, maxBytes),
      isCut: this.length > maxBytes,
    });
  }

  private fail(error: Error): void {
    clearTimeout(this.timer);
    this.outcome.reject(error);
    if (this.end !== undefined) return;
    this.end = error;
    this.controller?.abort(error);
  }
}
