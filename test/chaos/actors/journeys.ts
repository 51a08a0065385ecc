// What partners and payers do. The load plays each journey many times, with an ordinary amount or a
// sandbox scenario amount.
import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../../bench/load/random';
import type { Intent } from '../../../src/sdk';
import type { ApiDriver } from './api-driver';
import type { Operator } from './operator';
import { TTL_SECONDS } from '../parts';
import type { CreateOrder, PartnerActor } from './partner';
import { between, oneOf } from '../random';
import { isDefinite } from './record';

/** The input of one journey. */
export interface JourneySetup {
  readonly partner: PartnerActor;
  /** A partner that does not own the intent. */
  readonly otherPartner: PartnerActor;
  readonly operator: Operator;
  readonly driver: ApiDriver;
  readonly random: Random;
  /** Each create of a chaos run has its own user. */
  readonly order: CreateOrder;
  /** True once the load has ended: journeys stop repeating requests. */
  readonly isOver: () => boolean;
}

export type Journey = (setup: JourneySetup) => Promise<void>;

/** As the Retry-After header of a 503 says. */
const RETRY_AFTER_MS = 1_000;
/**
 * A timestamp this far off is valid for a correct clock and for a clock six minutes off in the same
 * direction.
 */
const BETWEEN_BOTH_MS = 180_000;
/**
 * Around the time from which readers may show an overdue intent as `expired`: the statement margin,
 * and some seconds.
 */
const READ_AGAIN_AFTER_MS = [2_000, 1_500, 1_500];

async function create({ partner, order }: JourneySetup, idempotencyKey = `order-${order.userId}`) {
  const { userId: partnerUserId, cents: amountUsdCents, corridor } = order;
  const body = { partnerUserId, amountUsdCents, corridor };
  return partner.client.createIntent(body, { idempotencyKey });
}

async function createWithToken(setup: JourneySetup) {
  const intent = await create(setup);
  return { intent, token: await setup.partner.mint(intent) };
}

/** Repeats the confirm with the same token until the answer is definite, as the checkout does. */
async function confirmUntilAnswered(
  setup: JourneySetup,
  intent: Intent,
  token: string,
  name?: string,
) {
  for (;;) {
    const answer = await setup.partner.confirm(intent, token, name);
    if (isDefinite(answer) || setup.isOver()) return;
    await pause(RETRY_AFTER_MS);
  }
}

/** Ignores failures: the API driver has recorded each answer. */
async function allSettled(...work: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(work);
}

export const plain: Journey = async (setup) => {
  const { intent, token } = await createWithToken(setup);
  await confirmUntilAnswered(setup, intent, token);
  await setup.partner.readStatus(intent, token);
  await setup.partner.client.getIntent(intent.intentId);
};

const createdRepeatedly: Journey = async (setup) => {
  const key = `repeated-${setup.order.userId}`;
  await allSettled(create(setup, key), create(setup, key), create(setup, key));
  const intent = await create(setup, key);
  await confirmUntilAnswered(setup, intent, await setup.partner.mint(intent));
  await create(setup, key);
};

const confirmedByManyAtOnce: Journey = async (setup) => {
  const { intent, token } = await createWithToken(setup);
  const once = () => setup.partner.confirm(intent, token);
  await allSettled(once(), once(), once(), once());
  await confirmUntilAnswered(setup, intent, token);
};

const confirmedByManyTokens: Journey = async (setup) => {
  const intent = await create(setup);
  const { mint } = setup.partner;
  const tokens = await Promise.all([mint(intent), mint(intent), mint(intent)]);
  await allSettled(...tokens.map((token) => confirmUntilAnswered(setup, intent, token)));
};

const cancelled: Journey = async (setup) => {
  const { intentId } = await create(setup);
  const { client } = setup.partner;
  await allSettled(client.cancelIntent(intentId), client.cancelIntent(intentId));
  await client.getIntent(intentId);
};

/** Random delays decide whether the cancel or the confirm arrives first. */
const cancelledWhileConfirmed: Journey = async (setup) => {
  const { intent, token } = await createWithToken(setup);
  const cancel = async () => {
    await pause(between(0, 120, setup.random));
    await setup.partner.client.cancelIntent(intent.intentId);
  };
  const confirm = async () => {
    await pause(between(0, 60, setup.random));
    await confirmUntilAnswered(setup, intent, token);
  };
  await allSettled(cancel(), confirm());
};

const neverConfirmed: Journey = async (setup) => {
  await create(setup);
};

const confirmedAtTheDeadline: Journey = async (setup) => {
  const { intent, token } = await createWithToken(setup);
  await pause(TTL_SECONDS * 1_000 - between(-200, 900, setup.random));
  await allSettled(
    atAWrongClock(setup, intent, token),
    confirmUntilAnswered(setup, intent, token),
    readPastTheDeadline(setup, intent),
  );
};

/** A clock error below the signature tolerance must not move a deadline. */
async function atAWrongClock({ driver, partner }: JourneySetup, intent: Intent, token: string) {
  const [wrong] = driver.shifted();
  if (wrong?.shiftMs === undefined) return;
  const client = partner.clientAt(wrong, wrong.shiftMs);
  await allSettled(client.getIntent(intent.intentId), partner.confirmAt(wrong, intent, token));
  await allSettled(client.getIntent(intent.intentId));
}

/** Reads while the commit of the confirm may still be waiting. */
async function readPastTheDeadline({ partner }: JourneySetup, { intentId }: Intent) {
  for (const afterMs of READ_AGAIN_AFTER_MS) {
    await pause(afterMs);
    await allSettled(partner.client.getIntent(intentId));
  }
}

const refunded: Journey = async (setup) => {
  const { intent, token } = await createWithToken(setup);
  await confirmUntilAnswered(setup, intent, token);
  const { intentId } = intent;
  await allSettled(setup.operator.refund(intentId), setup.operator.refund(intentId));
};

/** The first code of a token counts. Another code is answered 409 and does not change the token. */
const confirmedWithACode: Journey = async (setup) => {
  const { intent, token } = await createWithToken(setup);
  // Codes with these names exist only in this chaos run, so a log line with one is a leak.
  const [name, another] = ['CHAOS NOODLES', 'CHAOS SANDALS'];
  await allSettled(
    setup.partner.confirm(intent, token, name),
    setup.partner.confirm(intent, token, another),
  );
  await confirmUntilAnswered(setup, intent, token, name);
};

const requestedByAnotherPartner: Journey = async (setup) => {
  const intent = await create(setup);
  const { client } = setup.otherPartner;
  await allSettled(client.getIntent(intent.intentId), client.cancelIntent(intent.intentId));
  const token = await setup.partner.mint(intent);
  await setup.partner.readByToken(intent, token);
  await confirmUntilAnswered(setup, intent, token);
};

/** Sends one nonce to both APIs at once. Without an idempotency key a second intent would show. */
const replayedAtOnce: Journey = async ({ partner, driver, order }) => {
  const request = partner.bareCreate(order, new Date(Date.now()));
  await allSettled(...driver.steady().map((api) => driver.sendTo(api, request)));
};

/**
 * An API with a wrong clock must reject a signature of a correct clock and accept one of its own
 * clock. A timestamp in between is valid at every API, and must be accepted only once.
 */
export const sentToAWrongClock: Journey = async (setup) => {
  const { driver, partner, order, random } = setup;
  const intent = await create(setup);
  const [wrong] = driver.shifted();
  if (wrong?.shiftMs === undefined) return;
  await allSettled(partner.clientAt(wrong, 0).getIntent(intent.intentId));
  await allSettled(partner.clientAt(wrong, wrong.shiftMs).getIntent(intent.intentId));
  const inBetween = Date.now() + Math.sign(wrong.shiftMs) * BETWEEN_BOTH_MS;
  const request = partner.bareCreate(
    { ...order, userId: `${order.userId}-between` },
    new Date(inBetween),
  );
  const everywhere = [wrong, ...driver.steady()];
  await allSettled(...everywhere.map((api) => driver.sendTo(api, request)));
  const token = await partner.mint(intent);
  const first = oneOf(everywhere, random);
  await allSettled(
    partner.confirmAt(first, intent, token),
    partner.confirmAt(wrong, intent, token),
  );
  await confirmUntilAnswered(setup, intent, token);
};

/** Played once more after all faults, so that even the shortest and worst run has some of each. */
export const HEALED_JOURNEYS: readonly Journey[] = [
  plain,
  createdRepeatedly,
  confirmedByManyAtOnce,
  cancelled,
  refunded,
];

/** Each journey with its weight in the random choice. */
export const JOURNEYS: readonly (readonly [weight: number, journey: Journey])[] = [
  [22, plain],
  [8, createdRepeatedly],
  [10, confirmedByManyAtOnce],
  [6, confirmedByManyTokens],
  [6, cancelled],
  [12, cancelledWhileConfirmed],
  [4, neverConfirmed],
  [8, confirmedAtTheDeadline],
  [8, refunded],
  [6, confirmedWithACode],
  [4, requestedByAnotherPartner],
  [4, replayedAtOnce],
];
