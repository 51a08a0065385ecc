// "Every activity failed at every step, before and after its effect": however a payment goes, and whichever step fails, it
// ends as if nothing had failed, and everything has happened once (architecture, section 3).
import { Client } from '@temporalio/client';
import type { PaymentStart } from '../../src/domain/payment-start';
import { until } from '../../src/dev/until';
import { FUNDS_USD_CENTS } from '../support/payment-world';
import { inFaultWorld, type Fault, type FaultWorld } from './fault-world';
import { sentOf } from './payment-drives';
import { endingInRows, ledgerSums, type PaymentEnding } from './payment-endings';
import { PATHS, type PaymentPath } from './payment-paths';

const WORLD_TIMEOUT_MS = 90_000;
const RUN_TIMEOUT_MS = 10_000;
/** For webhooks that are sent again, and for the comparing of what operations declared. */
const LONG_ENOUGH = '10 minutes';

function faultsOf({ steps }: PaymentPath): readonly (readonly [string, Fault | undefined])[] {
  const moments = ['before', 'after'] as const;
  const faults = steps.flatMap((step) => moments.map((moment) => ({ step, moment })));
  return [
    ['nothing fails', undefined],
    ...faults.map((fault) => [`${fault.step} fails ${fault.moment} its effect`, fault] as const),
  ];
}

interface Outcome {
  readonly ending: PaymentEnding;
  readonly hasStruck: boolean;
}

interface PathResult {
  readonly outcomes: ReadonlyMap<string, Outcome>;
  readonly ledger: Awaited<ReturnType<typeof ledgerSums>>;
}

/** One payment for each fault, all of them at once. */
async function takeAll(path: PaymentPath): Promise<PathResult> {
  const outcomes = new Map<string, Outcome>();
  let ledger: PathResult['ledger'];
  await inFaultWorld(path, async (world) => {
    const cases = await Promise.all(faultsOf(path).map((one) => plan(world, path, one)));
    const told = await Promise.all(cases.map(({ payment }) => path.drive(world, payment)));
    const payments = cases.map(({ payment }) => payment);
    const toldLater = (await path.later?.(world, payments)) ?? [];
    await until(() => hasSettled(world, payments), { timeoutMs: RUN_TIMEOUT_MS });
    await world.environment.sleep(LONG_ENOUGH);
    const runs = await resultsOf(world, payments);
    for (const [index, { name, payment }] of cases.entries()) {
      const heard = { told: [...(told[index] ?? []), ...toldLater], run: runs[index] ?? '' };
      outcomes.set(name, await outcomeOf(world, payment, heard));
    }
    ledger = await ledgerSums(world.database);
  });
  return { outcomes, ledger };
}

async function plan(
  world: FaultWorld,
  { cents }: PaymentPath,
  [name, fault]: readonly [string, Fault | undefined],
) {
  const payment = await world.create(cents);
  if (fault !== undefined) world.faults.plan(payment.intentId, fault);
  return { name, payment };
}

async function hasSettled({ database }: FaultWorld, payments: readonly PaymentStart[]) {
  const { rows } = await database.query<{ readonly settled: number }>({
    text: `select count(*) as settled from payment_intents where status not in ('created', 'authorized')`,
  });
  return rows[0]?.settled === payments.length;
}

/** By a client that skips no time. A run that never ends fails its own case only. */
function resultsOf({ environment }: FaultWorld, payments: readonly PaymentStart[]) {
  const client = new Client({ connection: environment.connection });
  const giveUp = AbortSignal.timeout(RUN_TIMEOUT_MS);
  const results = payments.map(({ intentId }) =>
    client
      .withAbortSignal(giveUp, () => client.workflow.getHandle(intentId).result())
      .then(String, (error: unknown) => `no result: ${String(error)}`),
  );
  return Promise.all(results);
}

async function outcomeOf(
  world: FaultWorld,
  payment: PaymentStart,
  heard: Pick<PaymentEnding, 'told' | 'run'>,
): Promise<Outcome> {
  const { intentId } = payment;
  const { rows } = await world.database.query<{ readonly event_id: string }>({
    text: 'select event_id from webhook_events where intent_id = $1',
    values: [intentId],
  });
  const events = rows.map(({ event_id: eventId }) => eventId);
  return {
    ending: {
      ...heard,
      ...(await endingInRows(world.database, intentId)),
      sent: sentOf(world, payment),
      posts: world.posted.filter(({ eventId }) => events.includes(eventId)).length,
    },
    hasStruck: world.faults.hasStruck(intentId),
  };
}

/** What payments of this ending take out of the holding account, or hold. */
function centsSpent({ ending, cents }: PaymentPath): number {
  return ending.status === 'captured' ? cents : 0;
}

describe.each(PATHS)('a payment that is $name', (path) => {
  const cases = faultsOf(path);
  let result: PathResult;
  beforeAll(async () => {
    result = await takeAll(path);
  }, WORLD_TIMEOUT_MS);

  it.each(cases)('ends the same, with one effect each, when %s', (name, fault) => {
    expect(result.outcomes.get(name)).toEqual({
      ending: path.ending,
      hasStruck: fault !== undefined,
    });
  });

  it('leaves a ledger that sums to zero, and holds nothing back', () => {
    const holding = FUNDS_USD_CENTS - cases.length * centsSpent(path);
    expect(result.ledger).toEqual({ entries: 0, holding, balance: holding, held: 0 });
  });
});
