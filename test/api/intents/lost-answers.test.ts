// The request that answers 200 to a confirm or a cancel is recorded by its id (decision 6, record
// 103). If Postgres committed the record and its reply was lost, the same request retries once. If
// that fails too, no request is answered 200, and the status can still be read.
import { startCutProxy, type CutProxy } from '../../faults/cut-proxy';
import { bearer, pathOf } from '../../support/app';
import { withApi } from '../../support/brackets';
import { anIntent, recogniseErrorsOfNode } from '../../support/builders';
import { mintToken } from '../../support/payments/partner';

recogniseErrorsOfNode();

let proxy: CutProxy;
const { bed, app, partner } = withApi({
  through: async (url) => {
    proxy = await startCutProxy(url);
    return proxy.url;
  },
});
afterAll(() => proxy.close());

interface Call {
  readonly statement: string;
  readonly send: () => Promise<{ readonly status: number; readonly text: string }>;
  readonly readStatus: () => Promise<string>;
}

async function aCancel(): Promise<Call> {
  const intent = await anIntent(bed, partner);
  return {
    statement: 'answer-cancel',
    send: () => app.sendSigned(partner, { method: 'POST', path: pathOf(intent, 'cancel') }),
    readStatus: async () => statusIn(await app.sendSigned(partner, { path: pathOf(intent) })),
  };
}

async function aConfirm(): Promise<Call> {
  const intent = await anIntent(bed, partner);
  const token = mintToken(partner, intent);
  const read = { path: `/flow/${intent.intentId}/status`, headers: bearer(token) };
  return {
    statement: 'answer-confirm',
    send: () => app.confirm(intent, token),
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
  it('is 200 when the answer of Postgres was lost once, and only for this request', async () => {
    const { statement, send } = await make();
    const lost = proxy.loseAnswerTo(statement);
    const reply = await send();
    await lost;
    expect([reply.status, statusIn(reply)]).toEqual([200, ends]);
    expect(await send()).toMatchObject({ status: repeated });
  });

  it(`is 503 when it was lost twice, then ${String(repeated)}, and readable`, async () => {
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
