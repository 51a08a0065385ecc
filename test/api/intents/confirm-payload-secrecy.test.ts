// A scanned code may contain a card number (decision 20), which must not be in any log line,
// answer, webhook or logged error.
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { createLogger } from '../../../src/observe/logger';
import { withApi } from '../../support/brackets';
import { anIntent, aTokenUse } from '../../support/builders';
import { pathOf, type Reply } from '../../support/app';
import { mintToken } from '../../support/payments/partner';
import { aVietnameseCode, objects } from '../../support/payments/qr-codes';

const CARD = '9704031101234567';
const CODE = aVietnameseCode({
  '38': objects(
    ['00', 'A000000727'],
    ['01', objects(['00', '970403'], ['01', CARD])],
    ['02', 'QRIBFTTC'],
  ),
});

const { bed, app, partner } = withApi();

const aVietnameseIntent = () => anIntent(bed, partner, { corridor: 'vn_qrpay' });
const mint = (intent: PaymentIntent) => mintToken(partner, intent);

/** All kinds of answers to a confirm, rejected or accepted. */
async function everyAnswer(): Promise<readonly Reply[]> {
  const intent = await aVietnameseIntent();
  const [token, fresh] = [mint(intent), mint(intent)];
  const replies = [
    await app.confirm(intent, `${token}x`, CODE),
    await app.confirm(intent, token, `${CODE.slice(0, -1)}!`),
    await app.confirm(await anIntent(bed, partner), mint(intent), CODE),
    await app.confirm(intent, token, `${CODE}${CODE}${CODE}${CODE}${CODE}${CODE}`),
  ];
  app.mode = 'no_answer';
  replies.push(await app.confirm(intent, token, CODE));
  app.mode = 'authorize';
  replies.push(await app.confirm(intent, token, CODE));
  replies.push(await app.confirm(intent, fresh, aVietnameseCode()));
  replies.push(await app.confirm(intent, token, CODE));
  replies.push(await app.sendSigned(partner, { path: pathOf(intent) }));
  replies.push(await app.get(intent, mint(intent)));
  return replies;
}

describe('a card number in a scanned code', () => {
  it('is in no answer and in no log line', async () => {
    const replies = await everyAnswer();
    const statuses = [401, 400, 401, 400, 503, 200, 409, 401, 200, 200];
    expect(replies.map(({ status }) => status)).toEqual(statuses);
    const sent = replies.flatMap(({ text, rawHeaders }) => [text, ...rawHeaders]);
    expect([...sent, ...app.lines].filter((line) => line.includes(CARD))).toEqual([]);
    expect([...sent, ...app.lines].filter((line) => line.includes('A000000727'))).toEqual([]);
  });

  it('is in no log line when the statement that stores it fails', async () => {
    const intent = await aVietnameseIntent();
    await bed.database.query({
      text: 'alter table confirm_payloads rename to confirm_payloads_away',
    });
    try {
      expect(await app.confirm(intent, mint(intent), CODE)).toMatchObject({ status: 500 });
    } finally {
      await bed.database.query({
        text: 'alter table confirm_payloads_away rename to confirm_payloads',
      });
    }
    expect(app.lines.filter((line) => line.includes('does not exist'))).not.toEqual([]);
    expect(app.lines.filter((line) => line.includes(CARD))).toEqual([]);
  });

  it('is in no webhook', async () => {
    const intent = await aVietnameseIntent();
    await app.confirm(intent, mint(intent), CODE);
    const { rows } = await bed.database.query<{ readonly body: string }>({
      text: 'select body from webhook_events where intent_id = $1',
      values: [intent.intentId],
    });
    expect(rows).toHaveLength(1);
    expect(rows.filter(({ body }) => body.includes(CARD))).toEqual([]);
  });

  it('is redacted by member name, and with the row that a Postgres error quotes', async () => {
    const lines: string[] = [];
    const log = createLogger('test', 'info', { write: (line) => void lines.push(line) });
    const { intentId } = await aVietnameseIntent();
    const tooLong = `${CARD}${'0'.repeat(512)}`;
    const error = await bed.tokens
      .storePayload(intentId, aTokenUse(partner), { qrPayload: tooLong })
      .catch((cause: unknown) => cause);
    expect(error).toHaveProperty('detail', expect.stringContaining(CARD));
    log.error({ err: error, request_id: 'req_1' }, 'request failed');
    log.info({ qr_payload: CODE, qrPayload: CODE, order: { qrPayload: CODE } }, 'an order');
    log.info({ sent: { qr_payload: CODE }, body: CODE }, 'a body');
    expect(lines).toHaveLength(3);
    expect(lines.filter((line) => line.includes(CARD))).toEqual([]);
  });
});
