// Constraints reject statements that the code should never send: status changes without an audit
// row, and edges outside the table.
import { INTENT_TRANSITIONS } from '../../../src/domain/intents/transitions';
import { INTENT_STATUSES } from '../../../src/domain/intents/payment-intent';
import { anIntent, countOf, findExisting } from '../../support/builders';
import { withDatabase, withPartner } from '../../support/brackets';

const bed = withDatabase();
const partner = withPartner(bed);

const known = new Set(INTENT_TRANSITIONS.map(({ from, to }) => `${from}>${to}`));
const UNKNOWN = INTENT_STATUSES.flatMap((from) =>
  INTENT_STATUSES.map((to) => [from, to] as const),
).filter(([from, to]) => !known.has(`${from}>${to}`));

describe('a status that changes', () => {
  it('without its audit row is rejected at commit, and the row stays unchanged', async () => {
    const { intentId } = await anIntent(bed, partner);
    const text = `update payment_intents set status = 'authorized' where intent_id = $1`;
    await expect(bed.database.query({ text, values: [intentId] })).rejects.toThrow(
      'without its audit row',
    );
    await expect(findExisting(bed, intentId)).resolves.toMatchObject({ status: 'created' });
  });

  it('with the audit row of another edge is rejected', async () => {
    const { intentId } = await anIntent(bed, partner);
    const mismatch = bed.database.inTransaction(async (connection) => {
      await connection.query({
        text: `insert into intent_transitions (intent_id, from_status, to_status, at, actor)
               values ($1, 'created', 'cancelled', service_now(), 'x')`,
        values: [intentId],
      });
      await connection.query({
        text: `update payment_intents set status = 'authorized' where intent_id = $1`,
        values: [intentId],
      });
    });
    await expect(mismatch).rejects.toThrow('without its audit row');
  });

  it('to an unknown status is rejected', async () => {
    const { intentId } = await anIntent(bed, partner);
    const text = `update payment_intents set status = 'pending' where intent_id = $1`;
    await expect(bed.database.query({ text, values: [intentId] })).rejects.toThrow(
      'status_is_known',
    );
  });
});

describe('the audit trail', () => {
  const insert = (intentId: string, from: string, to: string) =>
    bed.database.query({
      text: `insert into intent_transitions (intent_id, from_status, to_status, at, actor)
             values ($1, $2, $3, service_now(), 'x')`,
      values: [intentId, from, to],
    });

  it.each(UNKNOWN)('rejects a row from %s to %s', async (from, to) => {
    const { intentId } = await anIntent(bed, partner);
    await expect(insert(intentId, from, to)).rejects.toThrow('edge_is_in_the_table');
  });

  it.each(INTENT_TRANSITIONS.map(({ from, to }) => [from, to] as const))(
    'accepts the row from %s to %s, an edge of src/domain',
    async (from, to) => {
      const { intentId } = await anIntent(bed, partner);
      await expect(insert(intentId, from, to)).resolves.toMatchObject({ rowCount: 1 });
    },
  );

  it('rejects a second entry into the same status', async () => {
    const { intentId } = await anIntent(bed, partner, { status: 'cancelled' });
    await expect(insert(intentId, 'authorized', 'cancelled')).rejects.toThrow(
      'intent_transitions_pkey',
    );
  });

  it('names in SQL exactly the edges of src/domain', async () => {
    const { rows } = await bed.database.query<{ readonly definition: string }>({
      text: `select pg_get_constraintdef(oid) as definition from pg_constraint
              where conname = 'edge_is_in_the_table'`,
    });
    const pairs = (rows[0]?.definition ?? '').matchAll(/'(\w+)'::text[^']*'(\w+)'::text/g);
    const edges = [...pairs].map(([, from, to]) => `${from ?? ''}>${to ?? ''}`);
    expect(edges.sort()).toEqual([...known].sort());
  });
});

describe('nothing is done by the payer without a token', () => {
  it.each([
    ['created', 'authorize', 'not_allowed'],
    ['created', 'cancel', 'other'],
    ['captured', 'refund', 'other'],
  ] as const)('%s: %s by payer moves nothing', async (status, event, outcome) => {
    const { intentId } = await anIntent(bed, partner, { status });
    const command = { intentId, from: status, event, actor: 'payer' } as const;
    await expect(bed.intents.transition(command)).resolves.toMatchObject({ outcome, status });
    const byPayer = `select count(*) from intent_transitions
                      where intent_id = $1 and actor = 'payer'`;
    expect(await countOf(bed, byPayer, [intentId])).toBe(0);
  });
});
