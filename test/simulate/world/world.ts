// The world of one life: fibers, servers, provider, endpoint and the recorded faults.
import { createHash } from 'node:crypto';
import { ID_RANDOM_BYTES, makeEventId } from '../../../src/domain/ids';
import type { Clock } from '../../../src/ports/clock';
import type { IntentStore } from '../../../src/ports/intents';
import { readRows, type Database, type Queryable } from '../../../src/postgres/database';
import { createIntentStore } from '../../../src/postgres/intents/store';
import type { SecretSeal } from '../../../src/signing/sealed-secret';
import { createRandom, type Random } from '../../bench/load/random';
import type { Client } from '@temporalio/client';
import { ENVIRONMENT } from '../../support/builders';
import type { TestPartner } from '../../support/payments/partner';
import type { Choices } from '../run/choices';
import { Backup } from './backup';
import { START_MS, type Harness } from './harness';
import { SimulatedEndpoint } from './endpoint';
import { PHASE_AFTER, type Phase, type Progress } from './phases';
import { Fibers } from './fibers';
import { createSimulatedPostgres, type SimulatedPostgres } from './postgres';
import { SimulatedProvider, type ProviderParts } from './provider';
import { drawProvider } from './provider-settings';
import { createSimulatedClient } from '../temporal/client';
import type { Poller } from '../temporal/run';
import { TemporalServer } from '../temporal/server';

export interface World {
  readonly fibers: Fibers;
  readonly choices: Choices;
  readonly server: TemporalServer;
  readonly client: Client;
  readonly postgres: SimulatedPostgres;
  readonly provider: SimulatedProvider;
  /** That of the workers after the first, which know the former one. */
  readonly laterProvider: SimulatedProvider;
  readonly endpoint: SimulatedEndpoint;
  readonly backup: Backup;
  readonly partner: TestPartner;
  readonly clock: Clock;
  readonly random: Random;
  readonly seal: SecretSeal;
  readonly isDebitAlone: boolean;
  readonly isEndpointFast: boolean;
  readonly isProviderSlow: boolean;
  readonly progress: Readonly<Progress>;
  /** Every fault of the life, in order. */
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
  readonly harness: Pick<
    Harness,
    | 'database'
    | 'partner'
    | 'seal'
    | 'setClock'
    | 'setTimeline'
    | 'backUp'
    | 'restore'
    | 'bringBack'
  >;
  readonly poller: () => Poller | undefined;
}

export function createWorld({ harness, poller, ...options }: Options): World {
  const { database, partner, seal, setClock } = harness;
  const faults: Fault[] = [];
  const progress: Progress = { phase: 'unwritten', sinceMs: START_MS };
  const onFault = (point: string, what: string) => {
    faults.push({ atMs: fibers.nowMs, phase: progress.phase, point, what });
  };
  const choices = reporting(options.choices, onFault);
  const fibers: Fibers = new Fibers(START_MS, choices);
  const server = new TemporalServer(fibers, choices, poller);
  const client = createSimulatedClient(server);
  const backup = new Backup({
    ...{ fibers, choices, server, client, harness },
    setClock: () => postgres.setClock(),
  });
  // Ids and jitter are the same in each life, because its outcome must not depend on them.
  const random = createRandom(1);
  const makeId = () => makeEventId(fibers.nowMs, bytesOf(String(random())));
  const postgres: SimulatedPostgres = createSimulatedPostgres(database, fibers, choices, {
    ...{ setClock, backup },
    onPlanned: (what) => {
      onFault('statement', what);
    },
    onDone(name) {
      const phase = PHASE_AFTER[name] ?? progress.phase;
      if (phase !== progress.phase) Object.assign(progress, { phase, sinceMs: fibers.nowMs });
      return backup.onDone(name, phase);
    },
  });
  return {
    ...{ fibers, choices, server, client, partner, random, seal, faults, backup },
    ...{ progress, postgres },
    ...providersOf({ fibers, choices, isCaptured: () => isCaptured(database) }),
    endpoint: new SimulatedEndpoint(partner.partnerId, fibers, choices),
    clock: { now: () => new Date(fibers.nowMs) },
    isDebitAlone: choices.setting('the debit', ['joined', 'alone']) === 'alone',
    isProviderSlow: choices.rareSetting('the provider has been', ['fast', 'slow']) === 'slow',
    isEndpointFast: choices.setting('the endpoint has been', ['slow', 'fast']) === 'fast',
    intentsOn: (on) =>
      createIntentStore({ database: on, environment: ENVIRONMENT, makeEventId: makeId }),
  };
}

async function isCaptured(database: Queryable): Promise<boolean> {
  const text = `select from payment_intents where status in ('captured', 'refunded')`;
  return (await readRows(database, { name: 'is-captured', text })).length > 0;
}

function providersOf(parts: Pick<ProviderParts, 'fibers' | 'choices' | 'isCaptured'>) {
  const { choices } = parts;
  const provider = new SimulatedProvider({ ...parts, settings: drawProvider(choices) });
  const account = choices.rareSetting('the account of the corridor', ['stays', 'is changed']);
  const laterProvider = account === 'stays' ? provider : provider.anotherAccount('other');
  return { provider, laterProvider };
}

/** Wraps the choices and reports each fault. */
function reporting(choices: Choices, onFault: (point: string, what: string) => void): Choices {
  return {
    setting: (name, of) => choices.setting(name, of),
    rareSetting: (name, of, share) => choices.rareSetting(name, of, share),
    fault(point, of) {
      const what = choices.fault(point, of);
      if (what !== of[0]) onFault(point, what);
      return what;
    },
  };
}

/** Random bytes for an id, derived from the text. */
export function bytesOf(text: string): Buffer {
  return createHash('sha256').update(text).digest().subarray(0, ID_RANDOM_BYTES);
}
