// Payments in a worker: the activities of their workflows, and the loops that repair and expire
// payments from their rows, whatever happened to their workflows.
import { randomBytes } from 'node:crypto';
import { createPaymentActivities } from '../../../activities';
import { installationKey } from '../../config';
import type { Corridor } from '../../domain/corridor';
import { ID_RANDOM_BYTES, makeEventId } from '../../domain/ids';
import type { EndpointSpeeds } from '../../domain/webhooks/endpoints';
import { createPayoutProvider } from '../../http/payout-provider';
import type { PayoutMetrics } from '../../ports/metrics';
import type { RestoreWatch } from '../../ports/payouts/lost-commits';
import type { PayoutOutcome, PayoutProvider } from '../../ports/payouts/provider';
import { createPaymentClaims } from '../../postgres/intents/claims';
import { createIntentStore } from '../../postgres/intents/store';
import { createFundsAccount } from '../../postgres/ledger/funds-account';
import { createHoldingAccountWatch } from '../../postgres/ledger/holding-account-watch';
import { createPayoutJournal } from '../../postgres/payouts/journal';
import { createPayoutLock } from '../../postgres/payouts/lock';
import { createLostCommits } from '../../postgres/payouts/lost-commits';
import { createPayoutRechecks } from '../../postgres/payouts/rechecks';
import { createPayoutStops } from '../../postgres/payouts/stops';
import { createInstallation } from '../../signing/installation';
import { createDeadlinePoller } from '../../temporal/deadline-poller';
import { createWorkflowRepairer } from '../../temporal/workflow-repairer';
import { startStopwatch } from '../stopwatch';
import { withActivityInfo } from './activity-context';
import type { Loop, WorkerParts } from './parts';
import { fundsFor, paymentSettingsOf } from './settings';

interface OtherSubjects {
  readonly endpointSpeeds: EndpointSpeeds;
  readonly restoreWatch: RestoreWatch;
}

export function createPayments(parts: WorkerParts, others: OtherSubjects) {
  const { config, database, log, around } = parts;
  const { attentionRaised } = parts.metrics;
  const { id: installationId } = createInstallation(installationKey(config));
  const intents = around('intents', createIntents(parts));
  const rechecks = around('rechecks', createPayoutRechecks(database, attentionRaised));
  const activities = createPaymentActivities({
    ...paymentSettingsOf(config),
    installationId,
    intents,
    rechecks,
    funds: fundsFor(config, around('funds', createFundsAccount(database))),
    payoutJournal: around('payoutJournal', createPayoutJournal(database)),
    payoutLock: around('payoutLock', createPayoutLock(database)),
    payoutStops: around('payoutStops', createPayoutStops(database)),
    lostCommits: around('lostCommits', createLostCommits(database)),
    restoreWatch: around('restoreWatch', others.restoreWatch),
    providers: createProviders(parts),
    endpointSpeeds: others.endpointSpeeds,
    log: withActivityInfo(log),
    startStopwatch,
  });
  const polling = {
    client: parts.temporal.client,
    rows: createLostCommits(database),
    payments: around('claims', createPaymentClaims(database, installationId)),
    intents,
    clock: { now: () => new Date() },
    log,
  };
  const loops: readonly Loop[] = [
    createWorkflowRepairer({ ...polling, rechecks }),
    createDeadlinePoller(polling),
    createHoldingWatch(parts),
  ];
  return { activities, loops };
}

function createIntents({ config, database, metrics }: WorkerParts) {
  return createIntentStore({
    database,
    environment: config.SERVICE_ENV,
    makeEventId: () => makeEventId(Date.now(), randomBytes(ID_RANDOM_BYTES)),
    onAttention: metrics.attentionRaised,
  });
}

function createProviders({ config, outbounds, metrics, around }: WorkerParts) {
  const thai = createPayoutProvider(outbounds.providers, {
    baseUrl: config.PROVIDER_URL_TH_QRPAY,
    token: config.PROVIDER_TOKEN_TH_QRPAY,
  });
  const vietnamese = createPayoutProvider(outbounds.providers, {
    baseUrl: config.PROVIDER_URL_VN_QRPAY,
    token: config.PROVIDER_TOKEN_VN_QRPAY,
  });
  return {
    th_qrpay: around('provider', metered(thai, 'th_qrpay', metrics)),
    vn_qrpay: around('provider', metered(vietnamese, 'vn_qrpay', metrics)),
  };
}

/** Counts the calls to a payout provider and measures them, by corridor and outcome. */
function metered(
  provider: PayoutProvider,
  corridor: Corridor,
  metrics: PayoutMetrics,
): PayoutProvider {
  const measured = async (call: () => Promise<PayoutOutcome>): Promise<PayoutOutcome> => {
    const stopwatch = startStopwatch();
    const answer = await call();
    metrics.payoutRequested(corridor, answer.outcome, stopwatch() / 1_000);
    return answer;
  };
  return {
    pay: (order, limits) => measured(() => provider.pay(order, limits)),
    find: (question) => measured(() => provider.find(question)),
  };
}

function createHoldingWatch({ config, database, metrics, log }: WorkerParts) {
  const lowUsdCents = config.HOLDING_LOW_USD_CENTS;
  return createHoldingAccountWatch({ database, lowUsdCents, metrics, log });
}
