// No reader reports a terminal status that a commit under way may still contradict (decision 15). A
// timely confirm has a commit that stalls past the deadline and all timeouts, because its standby
// is gone or its backend is stopped.
import { isDeepStrictEqual } from 'node:util';
import type { PaymentIntent } from '../../src/domain/intents/payment-intent';
import { transitionIntent } from '../../src/postgres/intents/transition';
import { aCreateCommand, anEventId, anIntent, aTokenUse } from '../support/builders';
import { NOON, secondsAfter } from '../support/clock';
import {
  backendIn,
  freeze,
  openStallableWorld,
  thaw,
  type StallableWorld,
} from './stalled-commits';
import { READERS, repeatable, WAITING_READERS, type StatusReader } from './status-readers';

const LIFE_SECONDS = 60;
const IN_TIME = secondsAfter(NOON, LIFE_SECONDS - 0.5);
const LONG_PAST = secondsAfter(NOON, LIFE_SECONDS + 4);
const SOON_MS = 1_000;

let world: StallableWorld;
beforeAll(async () => {
  world = await openStallableWorld();
  await readOnce();
});
afterAll(() => world.close());

const shortLived = () =>
  anIntent(world.bed, world.partner, { timeToLiveSeconds: LIFE_SECONDS, ...repeatable() });

/** Reads an expired intent once, so that the extra cost of first answers is not measured. */
async function readOnce() {
  await world.setNow(NOON);
  const intent = await shortLived();
  await world.setNow(LONG_PAST);
  for (const reader of [...READERS, ...WAITING_READERS]) await reader.read(world, intent);
}

/**
 * Confirms half a second before the deadline with a stalled commit, and returns long after the
 * deadline.
 */
async function stallInTime() {
  await world.setNow(NOON);
  const intent = await shortLived();
  await world.setNow(IN_TIME);
  await world.stallCommits();
  const stalled = await world.stalledAuthorize(intent);
  await world.setNow(LONG_PAST);
  return { ...stalled, intent };
}

async function statusOf({ intentId }: PaymentIntent): Promise<string> {
  return (await world.bed.intents.readCurrentState(intentId)).status;
}

/** The answer of the reader, whether it came soon, and whether the row is unchanged. */
async function answerOf(reader: StatusReader, intent: PaymentIntent) {
  const before = await versionOf(intent);
  const beganAt = performance.now();
  const says = await reader.read(world, intent);
  const isSoon = performance.now() - beganAt < SOON_MS;
  return { says, isSoon, isUnwritten: isDeepStrictEqual(await versionOf(intent), before) };
}
const undecided = ({ undecided: says }: StatusReader) =>
  ({ says, isSoon: true, isUnwritten: true }) as const;

/** The physical row version that readers see, and the transactions that touched it. */
async function versionOf({ intentId }: PaymentIntent): Promise<unknown> {
  const text = 'select ctid, xmin, xmax from payment_intents where intent_id = $1';
  return (await world.admin.query({ text, values: [intentId] })).rows[0];
}

describe('while the commit of a confirm that was in time waits for a standby', () => {
  let stalled: Awaited<ReturnType<typeof stallInTime>>;
  beforeAll(async () => {
    stalled = await stallInTime();
  });
  afterAll(() => world.releaseCommits());

  it.each(READERS)('$name says $undecided, soon, and does not write the row', async (reader) => {
    await expect(answerOf(reader, stalled.intent)).resolves.toEqual(undecided(reader));
  });

  it('the payment is authorized once commits do not wait for the standby', async () => {
    await world.releaseCommits();
    await stalled.ended;
    await expect(statusOf(stalled.intent)).resolves.toBe('authorized');
  });
});

describe('while the backend that commits a confirm that was in time is stopped', () => {
  let stalled: Awaited<ReturnType<typeof stallInTime>>;
  beforeAll(async () => {
    stalled = await stallInTime();
    await freeze(stalled.pid);
    await world.releaseCommits();
  });
  afterAll(() => {
    thaw(stalled.pid);
  });

  it.each([...READERS, ...WAITING_READERS])(
    '$name says $undecided, soon, and does not write the row',
    async (reader) => {
      await expect(answerOf(reader, stalled.intent)).resolves.toEqual(undecided(reader));
    },
  );

  it('the payment is authorized once the backend continues', async () => {
    thaw(stalled.pid);
    await stalled.ended;
    await expect(statusOf(stalled.intent)).resolves.toBe('authorized');
  });
});

it('signed reads wait for no create that notes the use of their key', async () => {
  await world.setNow(NOON);
  const { bed, partner, admin } = world;
  const intent = await shortLived();
  await world.setNow(secondsAfter(NOON, 7_200));
  await world.stallCommits();
  const creating = bed.intents.create(aCreateCommand(partner)).catch(() => undefined);
  await backendIn(admin, 'SyncRep');
  const reading = bed.intents.findSigned(partner.caller(), intent.intentId);
  await expect(reading).resolves.toMatchObject({ nonce: 'claimed' });
  await world.releaseCommits();
  await creating;
});

describe('a confirm whose backend is stopped before it has the row', () => {
  /** The store's transition over a connection without statement timeout. */
  const authorizeUntimed = (intent: PaymentIntent) => {
    const { intentId } = intent;
    const token = aTokenUse(world.partner);
    const change = { intentId, from: 'created', event: 'authorize', actor: 'payer' } as const;
    return transitionIntent(world.untimed, { ...change, token }, anEventId());
  };

  it('finds that its deadline has passed: no reader has reported expired too early', async () => {
    await world.setNow(NOON);
    const intent = await shortLived();
    const release = await world.lock(intent);
    await world.setNow(IN_TIME);
    const confirmed = authorizeUntimed(intent);
    const pid = await backendIn(world.admin, 'transactionid');
    const seen = await freeze(pid)
      .then(release)
      .then(() => world.setNow(LONG_PAST))
      .then(() => world.bed.intents.find(intent.intentId))
      .finally(() => {
        thaw(pid);
      });
    await confirmed;
    expect([seen?.status, await statusOf(intent)]).toEqual(['expired', 'expired']);
  });
});
