// Who was told nothing definite asks again once everything is healed: a 503 is true only if a repeat is told the rest
// (architecture, section 3, rule R2; decisions 6 and 14).
import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from '../../../src/sdk';
import { parseCorridor } from '../../../src/domain/corridor';
import type { Desk } from './recorded-requests';
import { judgeEach, type Finding } from '../report/finding';
import type { PartnerDesk } from './partner';
import { isDefinite, toldBy, type Answer, type ApiRequest } from './record';
import { mapInParallel } from '../sources/in-parallel';

const AT_ONCE = 16;
const REPEATS_MAX = 15;
const REPEAT_AFTER_MS = 1_000;

/** Repeats what nobody knows the outcome of. Answers who was told nothing even then. */
export async function makeFinalRound(
  desk: Desk,
  partners: readonly PartnerDesk[],
): Promise<Finding> {
  const confirms = openBy(desk.answers, 'confirm', ({ jtiHash }) => jtiHash);
  const creates = openBy(desk.answers, 'create', ({ idempotencyKey }) => idempotencyKey);
  const left = await mapInParallel([...confirms, ...creates], AT_ONCE, async (open) => {
    const { request } = open;
    if (request === undefined) return { open, isTold: true };
    const isConfirm = open.asked === 'confirm';
    const repeat = isConfirm ? repeatConfirm(request, desk) : repeatCreate(request, partners);
    return { open, isTold: await untilTold(repeat) };
  });
  return judgeEach('whoever repeats is told in the end', left, ({ open, isTold }) =>
    isTold ? [] : [`${open.asked} of ${open.intentId ?? open.sent} was told nothing definite`],
  );
}

/** The last of those that were never told anything definite. */
function openBy(
  answers: readonly Answer[],
  asked: Answer['asked'],
  keyOf: (answer: Answer) => string | undefined,
): readonly Answer[] {
  const open = new Map<string, Answer>();
  const closed = new Set<string>();
  for (const answer of answers) {
    const key = keyOf(answer);
    if (answer.asked !== asked || key === undefined) continue;
    open.set(key, answer);
    if (isDefinite(answer)) closed.add(key);
  }
  return [...open].filter(([key]) => !closed.has(key)).map(([, answer]) => answer);
}

type Repeat = () => Promise<boolean>;

async function untilTold(repeat: Repeat): Promise<boolean> {
  for (let repeats = 0; repeats < REPEATS_MAX; repeats += 1) {
    if (await repeat()) return true;
    await pause(REPEAT_AFTER_MS);
  }
  return false;
}

function repeatConfirm(request: ApiRequest, desk: Desk): Repeat {
  return async () => isDefinite(await desk.send(request));
}

/** Signed anew, with the same idempotency key. */
function repeatCreate({ headers, body }: ApiRequest, partners: readonly PartnerDesk[]): Repeat {
  const keyId = headers['x-service-key-id'];
  const client = partners.find(({ partner }) => partner.key_id === keyId)?.client;
  const asked = toldBy(body);
  const wish = {
    partnerUserId: asked.partner_user_id ?? '',
    amountUsdCents: asked.amount_usd_cents ?? 0,
    idempotencyKey: headers['idempotency-key'] ?? '',
  };
  return async () => {
    try {
      await client?.createIntent({ ...wish, corridor: parseCorridor(asked.corridor ?? '') });
      return client !== undefined;
    } catch (error) {
      return error instanceof ApiError && isDefinite(error);
    }
  };
}
