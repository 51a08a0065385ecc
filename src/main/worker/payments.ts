// Payments in a worker: the activities of their workflows, and the loops that repair and expire
// payments from their rows, whatever happened to their workflows.
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createPaymentActivities } from '../../../activities';
import { installationKey } from '../../config/config';
import { ID_RANDOM_BYTES, makeEventId } from '../../domain/ids';
import type { EndpointSpeeds } from '../../domain/webhooks/endpoints';
import type { RestoreWatch } from '../../ports/restores';
import { createPaymentClaims } from '../../postgres/intents/claims';
import { createIntentStore } from '../../postgres/intents/store';
import {
  createFundsAccount,
  createHoldingAccountWatch,
} from '../../postgres/ledger/holding-account';
import { createPayoutJournal } from '../../postgres/payouts/journal';
import { createPayoutLock } from '../../postgres/payouts/lock';
import { createLostCommits } from '../../postgres/payouts/lost-commits';
import { createPaidAsks } from '../../postgres/payouts/paid-asks';
import { createPayoutRechecks } from '../../postgres/payouts/rechecks';
import { createPayoutStops } from '../../postgres/payouts/stops';
import { createInstallation } from '../../signing/installation';
import { createDeadlinePoller } from '../../temporal/deadline-poller';
import { createWorkflowRepairer } from '../../temporal/workflow-repairer';
import { startStopwatch } from '../stopwatch';
import { withActivityInfo } from './activity-context';
import type { Loop, WorkerParts } from './parts';
import { createProviders } from './payout-providers';
import { createReturnWatch } from './return-watch';
import { fundsFor, paymentSettingsOf } from './settings';

interface OtherSubjects {
  readonly endpointSpeeds: EndpointSpeeds;
  readonly restoreWatch: RestoreWatch;
}

export function createPayments(parts: WorkerParts, others: OtherSubjects) {
  const { config, database, log, around } = parts;
  const { id: installationId, hashPayer } = createInstallation(installationKey(config));
  const intents = around('intents', createIntents(parts));
  const rechecks = around('rechecks', createPayoutRechecks(database));
  const paidAsks = createPaidAsks(database);
  const { unobserved, accounts, ...providers } = createProviders(parts);
  const activities = createPaymentActivities({
    ...paymentSettingsOf(config),
    installationId,
    hashPayer,
    intents,
    rechecks,
    paidAsks,
    funds: fundsFor(config, around('funds', createFundsAccount(database))),
    payoutJournal: around('payoutJournal', createPayoutJournal(database)),
    payoutLock: around('payoutLock', createPayoutLock(database)),
    payoutStops: around('payoutStops', createPayoutStops(database)),
    lostCommits: around('lostCommits', createLostCommits(database)),
    restoreWatch: around('restoreWatch', others.restoreWatch),
    verifyNamespace: parts.temporal.claim,
    ...providers,
    endpointSpeeds: others.endpointSpeeds,
    log: withActivityInfo(log),
    startStopwatch,
    pause,
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
    createReturnWatch({
      ...providers,
      providers: unobserved,
      asks: paidAsks,
      queriesPerSecond: config.PAID_QUERIES_PER_SECOND,
      log,
    }),
  ];
  return { activities, loops, accounts };
}

function createIntents({ config, database }: WorkerParts) {
  return createIntentStore({
    database,
    environment: config.SERVICE_ENV,
    makeEventId: () => makeEventId(Date.now(), randomBytes(ID_RANDOM_BYTES)),
  });
}

function createHoldingWatch({ config, database, metrics, log }: WorkerParts) {
  const lowUsdCents = config.HOLDING_LOW_USD_CENTS;
  return createHoldingAccountWatch({ database, lowUsdCents, metrics, log });
}
