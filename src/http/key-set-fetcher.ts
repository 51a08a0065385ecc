// Port `KeySetFetcher` over the HTTP client that denies addresses which are not public.
import { KEY_SET_MAX_BYTES, KEY_SET_TIMEOUT_MS } from '../domain/limits';
import type { KeySetFetcher } from '../ports/partners';
import type { Outbound } from './outbound';

export function createKeySetFetcher(outbound: Outbound): KeySetFetcher {
  return {
    async fetchKeySet(jwksUrl) {
      const reply = await outbound.send({
        method: 'GET',
        url: jwksUrl,
        // Nothing here decodes a compressed answer.
        headers: { accept: 'application/json', 'accept-encoding': 'identity' },
        timeoutMs: KEY_SET_TIMEOUT_MS,
        maxBytes: KEY_SET_MAX_BYTES,
      });
      if (reply.status !== 200) throw new Error(`the key set answered ${String(reply.status)}`);
      if (reply.isCut)
        throw new Error(`the key set is larger than ${String(KEY_SET_MAX_BYTES)} bytes`);
      const coding = reply.headers['content-encoding'] ?? 'identity';
      if (coding !== 'identity')
        throw new Error(
          `the key set has the Content-Encoding ${String(coding)}, which was not requested`,
        );
      // Some editors write a byte order mark, which is no JSON.
      return JSON.parse(reply.body.toString('utf8').replace(/^\ufeff/, '')) as unknown;
    },
  };
}
