// What the API's settings mean to those who answer its requests.
import type { ApiConfig } from '../../config';
import { isQrPayloadRequired, minimumUsdCents } from '../../corridor-settings';

export function settingsOf(config: ApiConfig) {
  return {
    errorEnvelope: config.ERROR_ENVELOPE,
    intentTtlSeconds: config.INTENT_TTL_SECONDS,
    confirmWaitMs: config.CONFIRM_WAIT_MS,
    trustedProxyHops: config.TRUSTED_PROXY_HOPS,
    // In prod a proxy of ours ends TLS where this process does not: it has refused to start otherwise (decision 23).
    isServedOverTls: config.TLS_CERT_FILE !== undefined || config.SERVICE_ENV === 'prod',
    minimumUsdCents: minimumUsdCents(config),
    isQrPayloadRequired: isQrPayloadRequired(config),
  };
}
