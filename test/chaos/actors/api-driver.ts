// Chooses the API for each request, replays some signed requests unchanged, and records every
// answer.
import type { Random } from '../../bench/load/random';
import { between, oneOf } from '../random';
import { sendRequest, type Answer, type Api, type ApiRequest } from './record';

export type ApiDriver = ReturnType<typeof createApiDriver>;

/** This share of signed requests is replayed unchanged. */
const REPLAYED_PERCENT = 12;
const STORED_FOR_LATER_MAX = 50;

/**
 * @param readApis the current state of the APIs; `shiftMs` is undefined while the harness changes a
 *   clock
 */
export function createApiDriver(readApis: () => readonly Api[], random: Random) {
  const answers: Answer[] = [];
  const stored: ApiRequest[] = [];
  const replays = new Set<Promise<unknown>>();
  const steady = () => {
    const right = readApis().filter(({ shiftMs }) => shiftMs === 0);
    return right.length > 0 ? right : readApis();
  };
  const sendTo = async (api: Api, request: ApiRequest) => {
    const answer = await sendRequest(request, api);
    answers.push(answer);
    return answer;
  };
  const replay = (request: ApiRequest) => {
    const replaying = sendTo(oneOf(steady(), random), request);
    replays.add(replaying);
    void replaying.finally(() => replays.delete(replaying));
  };
  /** Replays at once, after the answer, or later together with another replay. */
  const replayable = async (request: ApiRequest, sending: Promise<Answer>) => {
    const isChosen = 'x-service-nonce' in request.headers && random() * 100 < REPLAYED_PERCENT;
    if (!isChosen) return;
    const when = oneOf(['now', 'afterwards', 'later'], random);
    if (when === 'later' && stored.push(request) <= STORED_FOR_LATER_MAX) return;
    if (when === 'afterwards') await sending;
    replay(
      when === 'later'
        ? (stored.splice(between(0, stored.length, random), 1)[0] ?? request)
        : request,
    );
  };
  /** Sends through an API with a correct clock, and sometimes replays the same bytes. */
  const send = (request: ApiRequest) => {
    const sending = sendTo(oneOf(steady(), random), request);
    void replayable(request, sending);
    return sending;
  };
  return {
    ...{ answers, send, sendTo },
    /** APIs with a correct clock; all APIs when none has one. */
    steady,
    /** APIs with a wrong clock. */
    shifted: () => readApis().filter(({ shiftMs }) => shiftMs !== undefined && shiftMs !== 0),
    /** Sends all stored replays. Returns when each replay has its answer. */
    async drain() {
      for (const request of stored.splice(0)) replay(request);
      await Promise.all(replays);
    },
  };
}

/** A `fetch` for the SDK that sends through the driver, whatever API the address names. */
export function fetchThrough(send: (request: ApiRequest) => Promise<Answer>): typeof fetch {
  return async (address, init) => {
    const { status, text } = await send(toRequest(address, init));
    if (status === undefined) throw new TypeError('no answer');
    return new Response(text, { status });
  };
}

function toRequest(
  address: Parameters<typeof fetch>[0],
  init: RequestInit | undefined,
): ApiRequest {
  const url = address instanceof URL ? address : new Request(address).url;
  const { method, headers, body } = init ?? {};
  return {
    method: method === 'POST' ? 'POST' : 'GET',
    path: new URL(url).pathname,
    headers: Object.fromEntries(new Headers(headers)),
    body: body instanceof Uint8Array ? Buffer.from(body).toString() : '',
  };
}
