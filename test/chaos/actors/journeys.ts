// What partners and payers do: each a short story that is played many times, by chance with the plain or a magic amount.
import { setTimeout as pause } from 'node:timers/promises';
import { aThaiCode, aVietnameseCode } from '../../support/payments/qr-codes';
import type { Random } from '../../bench/load/random';
import type { Intent } from '../../../src/sdk';
import type { Desk } from './recorded-requests';
import type { OperatorDesk } from './operator';
import { TTL_SECONDS } from '../parts';
import type { CreateWish, PartnerDesk } from './partner';
import { between, oneOf } from '../random';
import { isDefinite } from './record';

/** What one journey has at hand. */
export interface Scene {
  readonly partner: PartnerDesk;
  /** Another partner, whom the intent is no business of. */
  readonly stranger: PartnerDesk;
  readonly operator: OperatorDesk;
  readonly desk: Desk;
  readonly random: Random;
  /** No two creates of a run have the same user. */
  readonly wish: CreateWish;
  /** The load's time is over: nothing is repeated any more. */
  readonly isOver: () => boolean;
}

export type Journey = (scene: Scene) => Promise<void>;

/** What a 503 asks for. */
const RETRY_AFTER_MS = 1_000;
/** Valid by a right clock and by one that is six minutes off in the same direction. */
const BETWEEN_BOTH_MS = 180_000;
/** From then on an intent that is past its deadline may read `expired`: the statement margin, and some seconds. */
const READ_AGAIN_AFTER_MS = [2_000, 1_500, 1_500];

async function create({ partner, wish }: Scene, idempotencyKey = `order-${wish.userId}`) {
  const { userId: partnerUserId, cents: amountUsdCents, corridor } = wish;
  const order = { partnerUserId, amountUsdCents, corridor, idempotencyKey };
  return partner.client.createIntent(order);
}

/** With a token of its own. */
async function createWithToken(scene: Scene) {
  const intent = await create(scene);
  return { intent, token: await scene.partner.mint(intent) };
}

/** As a checkout does: the same token again and again, until it is told something. */
async function confirmUntilTold(scene: Scene, intent: Intent, token: string, code?: string) {
  for (;;) {
    const answer = await scene.partner.confirm(intent, token, code);
    if (isDefinite(answer) || scene.isOver()) return;
    await pause(RETRY_AFTER_MS);
  }
}

/** Whatever came of it: answered or not, the recorder knows. */
async function settled(...work: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(work);
}

export const plain: Journey = async (scene) => {
  const { intent, token } = await createWithToken(scene);
  await confirmUntilTold(scene, intent, token);
  await scene.partner.readStatus(intent, token);
  await scene.partner.client.getIntent(intent.intentId);
};

const createdRepeatedly: Journey = async (scene) => {
  const key = `repeated-${scene.wish.userId}`;
  await settled(create(scene, key), create(scene, key), create(scene, key));
  const intent = await create(scene, key);
  await confirmUntilTold(scene, intent, await scene.partner.mint(intent));
  await create(scene, key);
};

const confirmedByManyAtOnce: Journey = async (scene) => {
  const { intent, token } = await createWithToken(scene);
  const once = () => scene.partner.confirm(intent, token);
  await settled(once(), once(), once(), once());
  await confirmUntilTold(scene, intent, token);
};

const confirmedByManyTokens: Journey = async (scene) => {
  const intent = await create(scene);
  const { mint } = scene.partner;
  const tokens = await Promise.all([mint(intent), mint(intent), mint(intent)]);
  await settled(...tokens.map((token) => confirmUntilTold(scene, intent, token)));
};

const cancelled: Journey = async (scene) => {
  const { intentId } = await create(scene);
  const { client } = scene.partner;
  await settled(client.cancelIntent(intentId), client.cancelIntent(intentId));
  await client.getIntent(intentId);
};

/** Who is first is left to chance, by some milliseconds either way. */
const cancelledWhileConfirmed: Journey = async (scene) => {
  const { intent, token } = await createWithToken(scene);
  const cancel = async () => {
    await pause(between(0, 120, scene.random));
    await scene.partner.client.cancelIntent(intent.intentId);
  };
  const confirm = async () => {
    await pause(between(0, 60, scene.random));
    await confirmUntilTold(scene, intent, token);
  };
  await settled(cancel(), confirm());
};

const leftAlone: Journey = async (scene) => {
  await create(scene);
};

const confirmedAtTheDeadline: Journey = async (scene) => {
  const { intent, token } = await createWithToken(scene);
  await pause(TTL_SECONDS * 1_000 - between(-200, 900, scene.random));
  await settled(
    atAWrongClock(scene, intent, token),
    confirmUntilTold(scene, intent, token),
    readPastTheDeadline(scene, intent),
  );
};

/** A clock that is wrong by less than a signature may be moves no deadline. */
async function atAWrongClock({ desk, partner }: Scene, intent: Intent, token: string) {
  const [wrong] = desk.shifted();
  if (wrong?.shiftMs === undefined) return;
  const client = partner.clientAt(wrong, wrong.shiftMs);
  await settled(client.getIntent(intent.intentId), partner.confirmAt(wrong, intent, token));
  await settled(client.getIntent(intent.intentId));
}

/** While the commit of its confirm may still wait. */
async function readPastTheDeadline({ partner }: Scene, { intentId }: Intent) {
  for (const afterMs of READ_AGAIN_AFTER_MS) {
    await pause(afterMs);
    await settled(partner.client.getIntent(intentId));
  }
}

const refunded: Journey = async (scene) => {
  const { intent, token } = await createWithToken(scene);
  await confirmUntilTold(scene, intent, token);
  const { intentId } = intent;
  await settled(scene.operator.refund(intentId), scene.operator.refund(intentId));
};

/** The first code of a token counts; another one is 409, and the token is as it was. */
const confirmedWithACode: Journey = async (scene) => {
  const { intent, token } = await createWithToken(scene);
  const [code, another] = codesFor(scene);
  await settled(
    scene.partner.confirm(intent, token, code),
    scene.partner.confirm(intent, token, another),
  );
  await confirmUntilTold(scene, intent, token, code);
};

/** Of no use to anybody but this run: whoever finds one in a log has found a leak. */
function codesFor({ wish }: Scene): readonly [string, string] {
  const aCode = wish.corridor === 'th_qrpay' ? aThaiCode : aVietnameseCode;
  return [aCode({ '59': 'CHAOS NOODLES' }), aCode({ '59': 'CHAOS SANDALS' })];
}

const askedForByAStranger: Journey = async (scene) => {
  const intent = await create(scene);
  const { client } = scene.stranger;
  await settled(client.getIntent(intent.intentId), client.cancelIntent(intent.intentId));
  const token = await scene.partner.mint(intent);
  await scene.partner.readByToken(intent, token);
  await confirmUntilTold(scene, intent, token);
};

/** One nonce at both APIs at the same time, without an idempotency key that would hide a second intent. */
const sentTwiceAsItIs: Journey = async ({ partner, desk, wish }) => {
  const request = partner.bareCreate(wish, new Date(Date.now()));
  await settled(...desk.steady().map((api) => desk.sendTo(api, request)));
};

/** Signed by a right clock: refused. By its own: taken. By one in between: taken there or elsewhere, and once. */
export const askedOfAWrongClock: Journey = async (scene) => {
  const { desk, partner, wish, random } = scene;
  const intent = await create(scene);
  const [wrong] = desk.shifted();
  if (wrong?.shiftMs === undefined) return;
  await settled(partner.clientAt(wrong, 0).getIntent(intent.intentId));
  await settled(partner.clientAt(wrong, wrong.shiftMs).getIntent(intent.intentId));
  const inBetween = Date.now() + Math.sign(wrong.shiftMs) * BETWEEN_BOTH_MS;
  const request = partner.bareCreate(
    { ...wish, userId: `${wish.userId}-between` },
    new Date(inBetween),
  );
  const everywhere = [wrong, ...desk.steady()];
  await settled(...everywhere.map((api) => desk.sendTo(api, request)));
  const token = await partner.mint(intent);
  const first = oneOf(everywhere, random);
  await settled(partner.confirmAt(first, intent, token), partner.confirmAt(wrong, intent, token));
  await confirmUntilTold(scene, intent, token);
};

/** Played once more when all is healed, so that the shortest and the worst run has some of each. */
export const HEALED_JOURNEYS: readonly Journey[] = [
  plain,
  createdRepeatedly,
  confirmedByManyAtOnce,
  cancelled,
  refunded,
];

/** How often each is played, among all. */
export const JOURNEYS: readonly (readonly [weight: number, journey: Journey])[] = [
  [22, plain],
  [8, createdRepeatedly],
  [10, confirmedByManyAtOnce],
  [6, confirmedByManyTokens],
  [6, cancelled],
  [12, cancelledWhileConfirmed],
  [4, leftAlone],
  [8, confirmedAtTheDeadline],
  [8, refunded],
  [6, confirmedWithACode],
  [4, askedForByAStranger],
  [4, sentTwiceAsItIs],
];
