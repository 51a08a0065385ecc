// The API's settings in the form that its request handlers use.
import type { ApiConfig } from '../../config/config';
import { isQrPayloadRequired, minimumUsdCents } from '../../config/corridors';

export function settingsOf(config: ApiConfig) {
  return {
    errorEnvelope: config.ERROR_ENVELOPE,
    intentTtlSeconds: config.INTENT_TTL_SECONDS,
    confirmWaitMs: config.CONFIRM_WAIT_MS,
    trustedProxyHops: config.TRUSTED_PROXY_HOPS,
    requestsMax: config.REQUESTS_MAX,
    // In prod a proxy ends TLS if this process does not: otherwise the process does not start
    // (decision 23).
    isServedOverTls: config.TLS_CERT_FILE !== undefined || config.SERVICE_ENV === 'prod',
    minimumUsdCents: minimumUsdCents(config),
    isQrPayloadRequired: isQrPayloadRequired(config),
  };
}
