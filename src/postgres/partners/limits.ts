// The limits of a partner (decision 139). A partner without limits writes no row here.
import type { IntentId } from '../../domain/ids';
import type { CreateIntentCommand } from '../../ports/intents';
import type { PartnerLimits } from '../../ports/partners';
import { readOne, readRows, type Queryable } from '../database';
import { stillHolds } from './nonces';

/**
 * Whether the stored second is still the present one. It is a little ahead where this statement has
 * waited, and far ahead where the clock was set back.
 */
const IS_PRESENT = `s.second between excluded.second and excluded.second + interval '5 s'`;

/**
 * Takes a place among the intents of the present second. Creates of one partner wait here for each
 * other, so the commit does not wait for the disk; a crash of Postgres may forget places of its
 * last second. A repeat of a create, or of a request, takes none, nor does a request that a cache
 * still accepts: one signed with a revoked key must not use up what the partner's others need.
 *
 * $1 the environment, $2 the partner, $3 the idempotency key, $4 nonce, $5 key id, $6 address.
 */
const TAKE_PLACE = `
  with quickly as materialized (select set_config('synchronous_commit', 'off', true)),
  clock as materialized (select date_trunc('second', service_now()) as second from quickly),
  limited as materialized (
    select p.partner_id, p.intents_per_second as places from partners p
     where p.partner_id = $2 and p.intents_per_second is not null
       and not exists (select from payment_intents i
                        where i.partner_id = $2 and i.idempotency_key = $3)
       and not exists (select from request_nonces n
                        where n.partner_id = $2 and n.nonce = decode($4, 'hex'))
       and ${stillHolds('$5', '$2', '$6')}
  ),
  place as (
    insert into partner_seconds as s (partner_id, second, intents)
    select limited.partner_id, clock.second, 1 from limited, clock
        on conflict (partner_id) do update
       set second = case when ${IS_PRESENT} then s.second else excluded.second end,
           intents = case when ${IS_PRESENT} then s.intents + 1 else 1 end
     where not ${IS_PRESENT} or s.intents < (select places from limited)
    returning partner_id
  )
  select not exists (select from limited) or exists (select from place) as "isTaken"`;

/** Whether the create may go on. */
export async function takePlace(
  database: Queryable,
  environment: string,
  { caller, idempotency, isAmountAllowed }: CreateIntentCommand,
): Promise<boolean> {
  const { partnerId, nonce, keyId, address, hasSecondLimit } = caller;
  if (hasSecondLimit !== true || !isAmountAllowed) return true;
  const { isTaken } = await readOne<{ readonly isTaken: boolean }>(database, {
    name: 'take-place',
    text: TAKE_PLACE,
    values: [environment, partnerId, idempotency?.key ?? null, nonce, keyId, address],
  });
  return isTaken;
}

const TODAY = `(clock.now at time zone 'UTC')::date`;

/**
 * Counts the amount of the intent in the present day, for a partner that has a limit; no row where
 * the limit would be exceeded. The row of the day is locked until the commit.
 * @param conditions those of the authorize, over the intent `i` and `clock`
 */
export const countDay = (conditions: string): string => `
  limited as materialized (
    select i.partner_id, i.amount_usd_cents, p.usd_cents_per_day
      from clock, payment_intents i join partners p on p.partner_id = i.partner_id
     where i.intent_id = $intent_id and i.status = 'created' and i.expires_at > clock.now
       and p.usd_cents_per_day is not null
       and ${conditions}
  ),
  counted as (
    insert into partner_days as d (partner_id, day, authorized_usd_cents)
    select limited.partner_id, ${TODAY}, limited.amount_usd_cents
      from limited, clock where limited.amount_usd_cents <= limited.usd_cents_per_day
        on conflict (partner_id, day) do update
       set authorized_usd_cents = d.authorized_usd_cents + excluded.authorized_usd_cents
     where d.authorized_usd_cents + excluded.authorized_usd_cents
           <= (select usd_cents_per_day from limited)
    returning day
  )`;

/** Whether the limit of the day allows the authorize. */
export const IS_WITHIN_DAY = `(not exists (select from limited) or exists (select from counted))`;

/** The day that counts the intent; null for a partner without a limit. */
export const COUNTED_ON = `(select day from counted)`;

/** Gives the amount of an intent that ends without a payout back to its day. */
export const GIVE_BACK = `
  given_back as (
    update partner_days d
       set authorized_usd_cents = greatest(0, d.authorized_usd_cents - m.amount_usd_cents)
      from moved m where d.partner_id = m.partner_id and d.day = m.counted_on
    returning d.day
  )`;

export function createPartnerLimits(database: Queryable): PartnerLimits {
  return {
    async untilDayAllows(intentId: IntentId): Promise<number | undefined> {
      const [row] = await readRows<{ readonly seconds: number }>(database, {
        name: 'until-day-allows',
        text: UNTIL_DAY_ALLOWS,
        values: [intentId],
      });
      return row?.seconds;
    },
  };
}

const UNTIL_DAY_ALLOWS = `
  with clock as materialized (select service_now() as now)
  select ceil(extract(epoch from
           (${TODAY} + 1)::timestamp at time zone 'UTC' - clock.now))::integer as seconds
    from clock, payment_intents i
    join partners p on p.partner_id = i.partner_id
    left join partner_days d
      on d.partner_id = i.partner_id and d.day = (select ${TODAY} from clock)
   where i.intent_id = $1 and i.status = 'created'
     and i.amount_usd_cents + coalesce(d.authorized_usd_cents, 0) > p.usd_cents_per_day`;
