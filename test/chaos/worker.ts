// The worker as src/main/worker.ts composes it, with failpoints around its ports.
import type { UsdCents } from '../../src/domain/money';
import type { Around } from '../../src/main/around';
import { runProcess } from '../../src/main/process';
import { startWorker } from '../../src/main/worker';
import type { FundsAccount } from '../../src/ports/funds-account';
import { dyingAround } from './dying';

const dying = dyingAround();

/** A debit is a step of its own where no slot is free and full enough: here by chance, so that both ways are gone. */
const around: Around = (name, port) => {
  const guarded = dying(name, port);
  if (!isFundsAccount(guarded)) return guarded;
  const joinsAuthorize = (amount: UsdCents) =>
    Math.random() < 0.5 && guarded.joinsAuthorize(amount);
  return { ...guarded, joinsAuthorize };
};

function isFundsAccount(port: object): port is FundsAccount {
  return 'joinsAuthorize' in port;
}

runProcess('worker', () => startWorker(around));
