// A restore that undoes the last commits makes a spent approval unspent (docs/restore.md): what it
// permitted is undone with it, so that it is done once again, within its hour.
import { decide } from '../../../src/postgres/approvals/decide';
import { createDatabase, type Database } from '../../../src/postgres/database';
import { backUp } from '../../support/database';
import { openFourEyes } from '../../support/four-eyes';

let hands: Awaited<ReturnType<typeof openFourEyes>>;
beforeAll(async () => {
  hands = await openFourEyes();
});
afterAll(() => hands.close());

const FUNDING = { verb: 'accounts fund', given: { key: 'wire-1', amount_usd_cents: 100 } };

/** A new connection: the restore has ended the others. */
async function on<Result>(url: string, work: (database: Database) => Promise<Result>) {
  const database = createDatabase({ url, poolSize: 1, onLostConnection: () => undefined });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

it('permits once again what the restore has undone, and nothing twice', async () => {
  const booked = () =>
    on(hands.bed.url, async (owner) => {
      const { rows } = await owner.query({
        text: `select count(*)::int as transfers, (select state from shown_approvals) as state
                 from ledger_transfers where transfer_key = 'fund:wire-1'`,
      });
      return rows[0];
    });
  const carryOut = () => on(hands.loginOf.cleo.url, (cleo) => decide(cleo, FUNDING));
  await hands.approved(FUNDING);
  const backup = await backUp(hands.bed);
  await carryOut();
  expect(await booked()).toEqual({ transfers: 1, state: 'carried_out' });

  await backup.restore();
  expect(await booked()).toEqual({ transfers: 0, state: 'approved' });
  await expect(carryOut()).resolves.not.toBeNull();
  await expect(carryOut()).resolves.toBeNull();
  expect(await booked()).toEqual({ transfers: 1, state: 'carried_out' });
  await backup.drop();
});
