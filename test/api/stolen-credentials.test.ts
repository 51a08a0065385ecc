// What each stolen credential is worth: the table of SECURITY.md, row by row. The thief chooses the
// scanned code, so whatever is captured has left.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PaymentIntent } from '../../src/domain/intents/payment-intent';
import { withApi } from '../support/brackets';
import { anIntent, countOf, findExisting, times } from '../support/builders';
import { mintToken, setLimits, sign, type TestPartner } from '../support/payments/partner';

const CENTS = 1_250;
const PER_DAY = 4 * CENTS + 1;
const PER_SECOND = 10;

const { bed, app, partner, other } = withApi({
  poolSize: 16,
  partner: { usdCentsPerDay: PER_DAY, intentsPerSecond: PER_SECOND },
});
beforeEach(async () => {
  const rows = ['partner_days', 'partner_seconds'].map((table) => `delete from ${table}`);
  await bed.database.query({ text: rows.join(';') });
});

/** Creates as long as that is answered 201. @returns the intents */
async function createMany(owner: TestPartner): Promise<readonly PaymentIntent[]> {
  const replies = await times(2 * PER_SECOND, () => app.create(owner));
  const created = replies.filter(({ status }) => status === 201);
  const ids = created.map(({ text }) => JSON.parse(text) as { intent_id: string });
  return Promise.all(
    ids.map(({ intent_id: id }) => findExisting(bed, id as PaymentIntent['intentId'])),
  );
}

/** Confirms all at once. @returns the cents that left */
async function confirmAll(owner: TestPartner, intents: readonly PaymentIntent[]): Promise<number> {
  await Promise.all(intents.map((intent) => app.confirm(intent, mintToken(owner, intent))));
  return capturedOf(intents);
}

const capturedOf = (intents: readonly PaymentIntent[]) =>
  countOf(
    bed,
    `select coalesce(sum(amount_usd_cents), 0) as count from payment_intents
      where status = 'captured' and intent_id = any ($1)`,
    [intents.map(({ intentId }) => intentId)],
  );

interface Row {
  /** What leaves at most, in cents. */
  readonly worth: number;
  /** Does what the thief can do. @returns the cents that left */
  readonly use: () => Promise<number>;
}

const ROWS: Readonly<Record<string, Row>> = {
  'signing secret': {
    worth: 0,
    async use() {
      const intents = await createMany(partner);
      await Promise.all(intents.map(confirmBySignature));
      return capturedOf(intents);
    },
  },
  'session token': {
    worth: CENTS,
    async use() {
      const [own, another] = [await anIntent(bed, other), await anIntent(bed, other)];
      const token = mintToken(other, own);
      for (const intent of [own, own, another]) await app.confirm(intent, token);
      return capturedOf([own, another]);
    },
  },
  'session signing key': {
    worth: 3 * CENTS,
    async use() {
      const open = await times(3, () => anIntent(bed, partner));
      const foreign = await anIntent(bed, other);
      return confirmAll(partner, [...open, foreign]);
    },
  },
  'signing secret, session key': {
    worth: 4 * CENTS,
    use: async () => confirmAll(partner, await createMany(partner)),
  },
  'the same, without a limit': {
    worth: PER_SECOND * CENTS,
    async use() {
      await setLimits(bed, partner, { usdCentsPerDay: null });
      const left = await confirmAll(partner, await createMany(partner));
      await setLimits(bed, partner, { usdCentsPerDay: PER_DAY });
      return left;
    },
  },
  'webhook secret': {
    worth: 0,
    async use() {
      const thief = { ...partner, signing_secret: partner.webhook_secret ?? '' };
      return confirmAll(partner, await createMany(thief));
    },
  },
};

const confirmBySignature = ({ intentId }: PaymentIntent) => {
  const request = { method: 'POST', path: `/v1/payment_intents/${intentId}/confirm` };
  return app.send({ ...request, headers: sign(partner, request) });
};

it.each(Object.entries(ROWS))('%s: no more leaves than the table says', async (_stolen, row) => {
  expect(await row.use()).toBe(row.worth);
});

it('a signing secret creates no more intents a second than the limit', async () => {
  expect(await createMany(partner)).toHaveLength(PER_SECOND);
});

it('has one test for each row of SECURITY.md', () => {
  const page = readFileSync(join(__dirname, '../../SECURITY.md'), 'utf8');
  const [, table = ''] = page.split(/<!-- \/?stolen -->/);
  const rows = table.trim().split('\n').slice(2);
  expect(rows.map((row) => row.split('|')[1]?.trim())).toEqual(Object.keys(ROWS));
});
