// What everything in one life stands on.
import { createHash } from 'node:crypto';
import { ID_RANDOM_BYTES, makeEventId } from '../../../src/domain/ids';
import type { Clock } from '../../../src/ports/clock';
import type { IntentStore } from '../../../src/ports/intent-store';
import type { Database } from '../../../src/postgres/database';
import { createIntentStore } from '../../../src/postgres/intent-store';
import type { SecretSeal } from '../../../src/signing/sealed-secret';
import { createRandom, type Random } from '../../bench/random';
import type { Client } from '@temporalio/client';
import { ENVIRONMENT } from '../../support/builders';
import type { TestPartner } from '../../support/partner';
import type { Choices } from '../choices';
import { Backup } from './backup';
import { START_MS, type Laboratory } from './laboratory';
import { SimulatedEndpoint } from './endpoint';
import { PHASE_AFTER, type Phase, type Progress } from './phases';
import { Fibers } from './fibers';
import { createSimulatedPostgres, type SimulatedPostgres } from './postgres';
import { SimulatedProvider } from './provider';
import { createSimulatedClient } from '../temporal/client';
import type { Poller } from '../temporal/run';
import { TemporalServer } from '../temporal/server';

export interface Ground {
  readonly fibers: Fibers;
  readonly choices: Choices;
  readonly server: TemporalServer;
  readonly client: Client;
  readonly postgres: SimulatedPostgres;
  readonly provider: SimulatedProvider;
  readonly endpoint: SimulatedEndpoint;
  readonly backup: Backup;
  readonly partner: TestPartner;
  readonly clock: Clock;
  readonly random: Random;
  readonly seal: SecretSeal;
  readonly isDebitAlone: boolean;
  readonly progress: Readonly<Progress>;
  /** Every fault of the life, in its order, with when it came. */
  readonly faults: readonly Fault[];
  intentsOn(database: Database): IntentStore;
}

export interface Fault {
  readonly atMs: number;
  readonly phase: Phase;
  readonly point: string;
  readonly what: string;
}

interface Options {
  readonly choices: Choices;
  readonly laboratory: Pick<
    Laboratory,
    'database' | 'partner' | 'seal' | 'setClock' | 'backUp' | 'restore'
  >;
  readonly poller: () => Poller | undefined;
}

export function layGround({ laboratory, poller, ...options }: Options): Ground {
  const { database, partner, seal, setClock } = laboratory;
  const faults: Fault[] = [];
  const progress: Progress = { phase: 'unwritten', sinceMs: START_MS };
  const choices: Choices = {
    setting: (name, of) => options.choices.setting(name, of),
    rareSetting: (name, of, share) => options.choices.rareSetting(name, of, share),
    fault(point, of) {
      const what = options.choices.fault(point, of);
      if (what !== of[0]) faults.push({ atMs: fibers.nowMs, phase: progress.phase, point, what });
      return what;
    },
  };
  const fibers: Fibers = new Fibers(START_MS, choices);
  const server = new TemporalServer(fibers, choices, poller);
  const client = createSimulatedClient(server);
  const backup = new Backup({ fibers, choices, server, client, laboratory });
  // Nothing that a life comes to depends on them: ids and jitter are the same in each.
  const random = createRandom(1);
  const makeId = () => makeEventId(fibers.nowMs, bytesOf(String(random())));
  return {
    ...{ fibers, choices, server, client, partner, random, seal, faults, backup, progress },
    postgres: createSimulatedPostgres(database, fibers, choices, {
      ...{ setClock, backup },
      onPlanned(what) {
        faults.push({ atMs: fibers.nowMs, phase: progress.phase, point: 'statement', what });
      },
      onDone(name) {
        const phase = PHASE_AFTER[name] ?? progress.phase;
        if (phase !== progress.phase) Object.assign(progress, { phase, sinceMs: fibers.nowMs });
        return backup.onPhase(phase);
      },
    }),
    provider: new SimulatedProvider(fibers, choices),
    endpoint: new SimulatedEndpoint(partner.partnerId, fibers, choices),
    clock: { now: () => new Date(fibers.nowMs) },
    isDebitAlone: choices.setting('the debit', ['joined', 'alone']) === 'alone',
    intentsOn: (on) =>
      createIntentStore({ database: on, environment: ENVIRONMENT, makeEventId: makeId }),
  };
}

/** As many as an id takes. */
export function bytesOf(text: string): Buffer {
  return createHash('sha256').update(text).digest().subarray(0, ID_RANDOM_BYTES);
}
