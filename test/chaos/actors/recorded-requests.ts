// Through which API a request goes, and what is sent again as it is: every answer is recorded.
import type { Random } from '../../bench/load/random';
import { between, oneOf } from '../random';
import { ask, type Answer, type Api, type ApiRequest } from './record';

export type Desk = ReturnType<typeof createDesk>;

/** Of a hundred signed requests, so many are sent again as they are. */
const REPLAYED_PERCENT = 12;
const KEPT_FOR_LATER = 50;

/** @param readApis what is known of the APIs at this moment; `shiftMs` is undefined while a clock is being changed */
export function createDesk(readApis: () => readonly Api[], random: Random) {
  const answers: Answer[] = [];
  const kept: ApiRequest[] = [];
  const replays = new Set<Promise<unknown>>();
  const steady = () => {
    const right = readApis().filter(({ shiftMs }) => shiftMs === 0);
    return right.length > 0 ? right : readApis();
  };
  const sendTo = async (api: Api, request: ApiRequest) => {
    const answer = await ask(request, api);
    answers.push(answer);
    return answer;
  };
  const replay = (request: ApiRequest) => {
    const replaying = sendTo(oneOf(steady(), random), request);
    replays.add(replaying);
    void replaying.finally(() => replays.delete(replaying));
  };
  /** At the same time, right afterwards, or when another one is sent some time later. */
  const replayable = async (request: ApiRequest, sending: Promise<Answer>) => {
    const isChosen = 'x-service-nonce' in request.headers && random() * 100 < REPLAYED_PERCENT;
    if (!isChosen) return;
    const when = oneOf(['now', 'afterwards', 'later'], random);
    if (when === 'later' && kept.push(request) <= KEPT_FOR_LATER) return;
    if (when === 'afterwards') await sending;
    replay(
      when === 'later' ? (kept.splice(between(0, kept.length, random), 1)[0] ?? request) : request,
    );
  };
  /** Through an API whose clock is right; now and then the same bytes are sent again, at once or later. */
  const send = (request: ApiRequest) => {
    const sending = sendTo(oneOf(steady(), random), request);
    void replayable(request, sending);
    return sending;
  };
  return {
    ...{ answers, send, sendTo },
    /** APIs whose clocks are right. */
    steady,
    /** APIs whose clocks are known to be wrong. */
    shifted: () => readApis().filter(({ shiftMs }) => shiftMs !== undefined && shiftMs !== 0),
    /** Comes back when everything that is sent again has been answered. */
    async drain() {
      for (const request of kept.splice(0)) replay(request);
      await Promise.all(replays);
    },
  };
}

/** What the SDK sends, sent by us; the API it was told stands for any of them. */
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
