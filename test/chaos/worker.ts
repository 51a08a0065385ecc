// The worker as src/main/worker.ts composes it, with failpoints around its ports.
import type { UsdCents } from '../../src/domain/money';
import type { Around } from '../../src/main/around';
import { runProcess } from '../../src/main/process';
import { startWorker } from '../../src/main/worker';
import type { FundsAccount } from '../../src/ports/funds-account';
import type { IntentStore } from '../../src/ports/intents';
import { dyingAround } from './faults/failpoints';

const dying = dyingAround();

/**
 * A debit is a separate step when no slot has enough money, and a capture when the payout activity
 * could not write it. Here chance decides, so that both ways of both are tested.
 */
const around: Around = (name, port) => {
  const guarded = dying(name, port);
  if (isFundsAccount(guarded)) {
    const joinsAuthorize = (amount: UsdCents) =>
      Math.random() < 0.5 && guarded.joinsAuthorize(amount);
    return { ...guarded, joinsAuthorize };
  }
  if (!isIntentStore(guarded)) return guarded;
  return {
    ...guarded,
    async capturePaid(...capture: Parameters<IntentStore['capturePaid']>) {
      if (Math.random() < 0.3) throw new Error('not this time');
      return guarded.capturePaid(...capture);
    },
  };
};

function isFundsAccount(port: object): port is FundsAccount {
  return 'joinsAuthorize' in port;
}

function isIntentStore(port: object): port is IntentStore {
  return 'transition' in port;
}

runProcess('worker', () => startWorker(around));
