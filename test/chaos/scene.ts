// What one journey of the load has at hand, and the steps that most of them share.
import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../bench/random';
import type { Corridor } from '../../src/domain/corridor';
import type { Intent } from '../../src/sdk';
import type { Desk } from './desk';
import type { OperatorDesk } from './operator-desk';
import type { CreateWish, PartnerDesk } from './partner-desk';
import { isDefinite, type Answer } from './record';

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

/** What a 503 asks for. */
const RETRY_AFTER_MS = 1_000;

export async function create({ partner, wish }: Scene, idempotencyKey?: string): Promise<Intent> {
  const { userId: partnerUserId, cents: amountUsdCents, corridor } = wish;
  const key = idempotencyKey ?? `order-${partnerUserId}`;
  return partner.client.createIntent({
    ...{ partnerUserId, amountUsdCents, corridor },
    idempotencyKey: key,
  });
}

/** As a checkout does: the same token again and again, until it is told something. */
export async function confirmUntilTold(
  scene: Scene,
  intent: Intent,
  token: string,
  code?: string,
): Promise<Answer> {
  for (;;) {
    const answer = await scene.partner.confirm(intent, token, code);
    if (isDefinite(answer) || scene.isOver()) return answer;
    await pause(RETRY_AFTER_MS);
  }
}

export async function confirmed(scene: Scene): Promise<Intent> {
  const intent = await create(scene);
  await confirmUntilTold(scene, intent, await scene.partner.mint(intent));
  return intent;
}

/** Whatever came of it: answered or not, the recorder knows. */
export async function settled(...work: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(work);
}

export function otherCorridor(corridor: Corridor): Corridor {
  return corridor === 'th_qrpay' ? 'vn_qrpay' : 'th_qrpay';
}
