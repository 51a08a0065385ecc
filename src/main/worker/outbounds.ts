// The worker's outward HTTP calls, to partners and to providers, with the cancellation of their
// activity.
import { partnerAddressesOf, type WorkerConfig } from '../../config/config';
import { byCorridor } from '../../corridors/names';
import { createPartnerOutbound } from '../../http/partner-outbound';
import { createProviderOutbound } from '../../http/provider-outbound';
import type { Tracing } from '../start-tracing';
import { abortedAfter, withCancellation } from './activity-context';

/** Shorter than the time that runProcess gives an orderly stop. */
export const SHUTDOWN_GRACE_MS = 7_000;

export type Outbounds = ReturnType<typeof createOutbounds>;

export function createOutbounds(
  config: WorkerConfig,
  tracing: Pick<Tracing, 'outbound'>,
  stopping: AbortSignal,
) {
  const stop = abortedAfter(stopping, SHUTDOWN_GRACE_MS);
  const partners = createPartnerOutbound(partnerAddressesOf(config));
  const provider = () =>
    withCancellation(tracing.outbound('provider', createProviderOutbound()), stop);
  return {
    partners: withCancellation(tracing.outbound('webhook', partners), stop),
    providers: byCorridor(provider),
  };
}
