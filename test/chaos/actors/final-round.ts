// Repeats all requests without a definite answer once every fault has ended: a 503 promises that a
// repeat gets the result (architecture, section 3, rule R2; decisions 6 and 14).
import { parseCorridor } from '../../../src/corridors/names';
import { until } from '../../../src/dev/until';
import { CLAIM_LEASE_SECONDS } from '../../../src/domain/limits';
import { ApiError } from '../../../src/sdk';
import type { Actors } from './actors';
import type { ApiDriver } from './api-driver';
import { checkEach, type Finding } from '../report/finding';
import type { PartnerActor } from './partner';
import { isDefinite, readBody, type Answer, type ApiRequest } from './record';
import { mapInParallel } from '../sources/in-parallel';

const AT_ONCE = 16;
/**
 * A killed worker keeps its claim of an overdue payment for one lease. Until another worker expires
 * the payment, each confirm of it is answered 503.
 */
const REPEATED = { timeoutMs: 2 * CLAIM_LEASE_SECONDS * 1_000, everyMs: 1_000 };

/**
 * Repeats creates and confirms with an unknown outcome. Reports those that stay without an answer.
 * @param waiting the payments whose confirms have none until people decide
 */
export async function makeFinalRound(
  { driver, partners }: Pick<Actors, 'driver' | 'partners'>,
  waiting: ReadonlySet<string>,
): Promise<Finding> {
  const confirms = openBy(driver.answers, 'confirm', ({ jtiHash }) => jtiHash).filter(
    ({ intentId = '' }) => !waiting.has(intentId),
  );
  const creates = openBy(driver.answers, 'create', ({ idempotencyKey }) => idempotencyKey);
  const left = await mapInParallel([...confirms, ...creates], AT_ONCE, async (open) => {
    const { request } = open;
    if (request === undefined) return { open, isAnswered: true };
    const isConfirm = open.operation === 'confirm';
    const repeat = isConfirm ? repeatConfirm(request, driver) : repeatCreate(request, partners);
    return { open, isAnswered: await until(repeat, REPEATED) };
  });
  return checkEach('a repeated request gets a definite answer', left, ({ open, isAnswered }) =>
    isAnswered ? [] : [`${open.operation} of ${open.intentId ?? open.sent}: ${open.text}`],
  );
}

/** The last request of each key that never got a definite answer. */
function openBy(
  answers: readonly Answer[],
  operation: Answer['operation'],
  keyOf: (answer: Answer) => string | undefined,
): readonly Answer[] {
  const open = new Map<string, Answer>();
  const closed = new Set<string>();
  for (const answer of answers) {
    const key = keyOf(answer);
    if (answer.operation !== operation || key === undefined) continue;
    open.set(key, answer);
    if (isDefinite(answer)) closed.add(key);
  }
  return [...open].filter(([key]) => !closed.has(key)).map(([, answer]) => answer);
}

type Repeat = () => Promise<boolean>;

function repeatConfirm(request: ApiRequest, driver: ApiDriver): Repeat {
  return async () => isDefinite(await driver.send(request));
}

/** Signs the create again, with the same idempotency key. */
function repeatCreate({ headers, body }: ApiRequest, partners: readonly PartnerActor[]): Repeat {
  const keyId = headers['x-service-key-id'];
  const client = partners.find(({ partner }) => partner.key_id === keyId)?.client;
  const sent = readBody(body);
  const order = {
    partnerUserId: sent.partner_user_id ?? '',
    amountUsdCents: sent.amount_usd_cents ?? 0,
  };
  const idempotencyKey = headers['idempotency-key'] ?? '';
  return async () => {
    try {
      const corridor = parseCorridor(sent.corridor ?? '');
      await client?.createIntent({ ...order, corridor }, { idempotencyKey });
      return client !== undefined;
    } catch (error) {
      return error instanceof ApiError && isDefinite(error);
    }
  };
}
