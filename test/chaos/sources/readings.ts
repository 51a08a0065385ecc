// Source 3: the read model, as partners see it by GET after everything has settled.
import { ApiError, createClient, type Intent } from '../../../src/sdk';
import type { IntentFacts, Reading } from '../report/evidence';
import type { System } from '../system';
import { mapInParallel } from './in-parallel';

const AT_ONCE = 16;
/**
 * Retries a 503, which a slow machine may cause: only a read that fails every time counts as
 * unread.
 */
const ATTEMPTS_MAX = 8;

export async function readAll(
  { partners, apiUrls }: System,
  rows: ReadonlyMap<string, IntentFacts>,
): Promise<ReadonlyMap<string, Reading>> {
  const clients = new Map(
    partners.map((partner) => [
      partner.partner_id,
      createClient({
        baseUrl: apiUrls['api-1'],
        keyId: partner.key_id,
        signingSecret: partner.signing_secret,
        maxAttempts: ATTEMPTS_MAX,
      }),
    ]),
  );
  const readings = await mapInParallel([...rows.values()], AT_ONCE, async (row) => {
    const client = clients.get(row.partnerId);
    const reading = await client?.getIntent(row.intentId).then(toReading, unread);
    return [row.intentId, reading ?? UNREAD] as const;
  });
  return new Map(readings);
}

const UNREAD: Reading = {
  httpStatus: undefined,
  status: undefined,
  cents: undefined,
  corridor: undefined,
  capturedAtMs: undefined,
};

function toReading(intent: Intent): Reading {
  const { status, amountUsdCents: cents, corridor, capturedAt } = intent;
  return { httpStatus: 200, status, cents, corridor, capturedAtMs: capturedAt?.getTime() };
}

function unread(error: unknown): Reading {
  return { ...UNREAD, httpStatus: error instanceof ApiError ? error.status : undefined };
}
