// The limits of a partner, as the API asks for them (decision 139). The statements that create and
// authorize enforce them.
import type { IntentId } from '../domain/ids';

export interface PartnerLimits {
  /**
   * Seconds until the next day begins, by the clock of Postgres in UTC, if the limit of the
   * intent's partner leaves too little of today for its amount; otherwise undefined, also where
   * the intent is not `created` any more.
   */
  untilDayAllows(intentId: IntentId): Promise<number | undefined>;
}
