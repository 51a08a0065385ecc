// Who sends what is refused: a partner who may, one whose addresses are elsewhere, one whose key was revoked, and their
// key sets, served on the loopback. Prepared before anything is measured.
import { anEventId, aCreateCommand, ENVIRONMENT } from '../support/builders';
import type { TestPartner } from '../support/partner';
import type { PaymentIntent } from '../../src/domain/payment-intent';
import { createIntentStore } from '../../src/postgres/intent-store';
import { openPartners } from './partners';
import type { World } from './world';

export interface Cast {
  readonly partner: TestPartner;
  /** Its registered network is not the loopback. */
  readonly elsewhere: TestPartner;
  /** Its only key is revoked. */
  readonly withdrawn: TestPartner;
  /** The partner's, `created` for as long as any bench takes. */
  readonly intent: PaymentIntent;
  close(): void;
}

export async function createCast(world: World): Promise<Cast> {
  const { database } = world;
  const partners = await openPartners(world);
  const partner = await partners.onboard({ name: 'siam-travel' });
  const elsewhere = await partners.onboard({ name: 'laos-travel', allow: ['192.0.2.0/24'] });
  const withdrawn = await partners.onboard({ name: 'java-travel' });
  await database.query({
    text: `update signing_keys set revoked_at = service_now() where key_id = $1`,
    values: [withdrawn.key_id],
  });
  const intents = createIntentStore({
    database,
    environment: ENVIRONMENT,
    makeEventId: anEventId,
  });
  const created = await intents.create(aCreateCommand(partner, { timeToLiveSeconds: 86_400 }));
  if (created.outcome !== 'created') throw new Error(`not created: ${created.outcome}`);
  return {
    partner,
    elsewhere,
    withdrawn,
    intent: created.intent,
    close: () => {
      partners.close();
    },
  };
}
