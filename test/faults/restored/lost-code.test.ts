// A failover loses the scanned code that came with a confirm (decision 20): the code was committed
// before the confirm reached the workflow, and the authorize comes after the failover.
import { readRows } from '../../../src/postgres/database';
import { recogniseErrorsOfNode } from '../../support/builders';
import { aThaiCode } from '../../support/payments/qr-codes';
import { said, truthOf } from '../live/payer';
import { withLiveSetup } from '../live/setup';

recogniseErrorsOfNode();

const { world, payer } = withLiveSetup();
const CODE = aThaiCode();

it('a payment is never paid without the scanned code of its confirm', async () => {
  const intent = await payer.create();
  const hold = world.holds.hold(intent.intentId, 'authorize');
  const { confirming } = await payer.confirmUntil(hold, intent, payer.mint(intent), CODE);
  await world.bed.database.query({ text: 'delete from confirm_payloads' });
  hold.release();
  const reply = said(await confirming);
  const codes = await readRows(world.bed.database, {
    text: 'select qr_payload as code from confirm_payloads where intent_id = $1 and is_adopted',
    values: [intent.intentId],
  });
  const { executed } = await truthOf(world, intent);
  expect({ reply, executed, codes }).toEqual({
    ...{ reply: '200 captured', executed: [1_250], codes: [{ code: CODE }] },
  });
});
