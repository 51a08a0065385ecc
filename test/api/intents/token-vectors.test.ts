// Protocol 4.7: the API accepts or rejects every published token as the vectors say.
import { createHash } from 'node:crypto';
import { parseCorridor } from '../../../src/corridors/names';
import { parseIntentId } from '../../../src/domain/ids';
import { parseIntentStatus } from '../../../src/domain/intents/transitions';
import { usdCents } from '../../../src/domain/money';
import { createMemoryKeySets } from '../../support/app';
import { withApp, withDatabase } from '../../support/brackets';
import { anIntent, move } from '../../support/builders';
import { secondsAfter } from '../../support/clock';
import { aPartner, type TestPartner } from '../../support/payments/partner';
import { readTokenVectors, type TokenVector } from '../../signing/vectors';

const VECTORS = readTokenVectors();

/** The step of protocol 4.7 for each reason in the log. */
const STEPS: Readonly<Record<string, string>> = {
  token_malformed: '1',
  issuer_unknown: '2',
  kid_unknown: '2',
  signature_wrong: '3',
  aud_wrong: '4',
  issuer_of_another_partner: '5',
  not_valid_now: '6',
  exp_not_after_iat: '7',
  lifetime_over_600_s: '7',
  jti_used: '8',
  state_not_open: '9',
  amount_differs: '10',
  corridor_differs: '11',
  attestation_not_accepted: 'attestations',
};

const bed = withDatabase();
let owner: TestPartner;

beforeAll(async () => {
  for (const { name, jwks_url: jwksUrl } of VECTORS.partners) {
    const partner = await aPartner(bed, { name, jwksUrl });
    if (name === 'acme') owner = partner;
  }
  await bed.setNow(secondsAfter(new Date(VECTORS.tokens[0]?.now ?? ''), -60));
  const byId = new Map(VECTORS.tokens.map((vector) => [vector.intent.intent_id, vector]));
  for (const vector of byId.values()) await insertIntentOf(vector);
});

async function insertIntentOf({ intent, jti_used: isUsed, payload }: TokenVector): Promise<void> {
  const intentId = parseIntentId(intent.intent_id);
  if (intentId === undefined) throw new Error(`not an intent id: ${intent.intent_id}`);
  await anIntent(bed, owner, {
    intentId,
    amountUsdCents: usdCents(intent.amount_usd_cents),
    corridor: parseCorridor(intent.corridor),
    status: isUsed ? 'created' : parseIntentStatus(intent.status),
  });
  if (!isUsed) return;
  const { jti, exp } = JSON.parse(payload) as { readonly jti: string; readonly exp: number };
  const jtiHash = createHash('sha256').update(jti).digest('hex');
  const token = { partnerId: owner.partnerId, jtiHash, expiresAtMs: exp * 1_000 };
  await move(bed, intentId, 'authorize', { token });
}

describe.each(VECTORS.key_sets)('while the key set is $name', (keySet) => {
  // A new API without cached key sets, so that it fetches the key set of its vectors.
  const app = withApp(bed, () => {
    const keySets = createMemoryKeySets([]);
    keySets.published.set(keySet.jwks_url, keySet.document);
    return { keySets };
  });
  beforeEach(() => {
    app.rejections.length = 0;
  });

  const tokens = VECTORS.tokens.filter((vector) => vector.key_set === keySet.name);

  it.each(tokens.map((vector) => [vector.name, verdictOf(vector), vector] as const))(
    'the token %s is %s',
    async (_name, verdict, vector) => {
      await bed.setNow(new Date(vector.now));
      const { status } = await app.get({ intentId: vector.intent.intent_id }, vector.token);
      const steps = app.rejections.map((reason) => STEPS[reason] ?? reason);
      expect(status === 401 ? `rejected at step ${steps.join()}` : String(status)).toBe(verdict);
    },
  );
});

function verdictOf({ accepted, step }: TokenVector): string {
  return accepted ? '200' : `rejected at step ${String(step)}`;
}
