// The right to answer a confirm or a cancel is recorded under the request's id (decision 6, record 103): where Postgres recorded it
// and its answer was lost, the same request asks once more. Where that fails too, nobody is told 200, and the status stays true.
import type { PaymentIntent } from '../../src/domain/payment-intent';
import { startCutProxy, type CutProxy } from '../faults/cut-proxy';
import { createMemoryKeySets, startApp, type TestApp } from '../support/app';
import { anIntent, openTestBed, recogniseErrorsOfNode, type TestBed } from '../support/builders';
import { aPartner, mintToken, type TestPartner } from '../support/partner';

recogniseErrorsOfNode();

let bed: TestBed;
let proxy: CutProxy;
let app: TestApp;
let partner: TestPartner;

beforeAll(async () => {
  bed = await openTestBed({
    through: async (url) => {
      proxy = await startCutProxy(url);
      return proxy.url;
    },
  });
  partner = await aPartner(bed);
  app = await startApp(bed, { keySets: createMemoryKeySets([partner]) });
});
afterAll(async () => {
  await app.close();
  await bed.close();
  await proxy.close();
});

const pathOf = ({ intentId }: PaymentIntent, action: string) =>
  `/v1/payment_intents/${intentId}/${action}`;

interface Call {
  readonly statement: string;
  readonly send: () => Promise<{ readonly status: number; readonly text: string }>;
  readonly readStatus: () => Promise<string>;
}

async function aCancel(): Promise<Call> {
  const intent = await anIntent(bed, partner);
  const read = { method: 'GET', path: `/v1/payment_intents/${intent.intentId}` };
  return {
    statement: 'answer-cancel',
    send: () =>
      app.sendSigned(partner, { method: 'POST', path: pathOf(intent, 'cancel'), headers: {} }),
    readStatus: async () => statusIn(await app.sendSigned(partner, read)),
  };
}

async function aConfirm(): Promise<Call> {
  const intent = await anIntent(bed, partner);
  const headers = { Authorization: `Bearer ${mintToken(partner, intent)}` };
  const read = { method: 'GET', path: `/flow/${intent.intentId}/status`, headers };
  return {
    statement: 'answer-confirm',
    send: () => app.send({ method: 'POST', path: pathOf(intent, 'confirm'), headers }),
    readStatus: async () => statusIn(await app.send(read)),
  };
}

function statusIn({ text }: { readonly text: string }): string {
  return (JSON.parse(text) as { readonly status: string }).status;
}

describe.each([
  { name: 'a cancel', make: aCancel, ends: 'cancelled', repeated: 409 },
  { name: 'a confirm', make: aConfirm, ends: 'captured', repeated: 401 },
])('$name that Postgres recorded', ({ make, ends, repeated }) => {
  it('is 200 when the answer of Postgres was lost once, and nobody else is told so', async () => {
    const { statement, send } = await make();
    const lost = proxy.loseAnswerTo(statement);
    const reply = await send();
    await lost;
    expect([reply.status, statusIn(reply)]).toEqual([200, ends]);
    expect(await send()).toMatchObject({ status: repeated });
  });

  it(`is 503 when it was lost twice, then ${String(repeated)}, and its status can be read`, async () => {
    const { statement, send, readStatus } = await make();
    let lost = 0;
    const lose = (): Promise<number> => proxy.loseAnswerTo(statement).then(() => (lost += 1));
    void lose().then(lose);
    expect(await send()).toMatchObject({ status: 503 });
    expect(lost).toBe(2);
    expect(await send()).toMatchObject({ status: repeated });
    await expect(readStatus()).resolves.toBe(ends);
  });
});
