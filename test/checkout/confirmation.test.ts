// What the page makes of the service's answers, in whatever order they come (decisions 5, 6 and 29). Above all: it never
// ends with "failed" unless the service has said so.
import fc from 'fast-check';
import { confirmOnce, type Ending, type Progress } from '../../api/checkout/browser/confirmation';
import type {
  CheckoutService,
  ConfirmAnswer,
  SessionAnswer,
  StatusAnswer,
} from '../../api/checkout/browser/service/answers';
import { INTENT_STATUSES } from '../../src/domain/intents/payment-intent';

const UNKNOWN = { kind: 'unknown', retryAfterMs: undefined } as const;
const REFUSED = { kind: 'refused' } as const;
const OPEN = {
  kind: 'open',
  session: {
    status: 'created',
    amountUsdCents: 1,
    corridor: 'th_qrpay',
    expiresInSeconds: 1,
    returnSchemes: [],
  },
} as const;
const told = (status: (typeof INTENT_STATUSES)[number]) => ({ kind: 'told', status }) as const;

interface Script {
  readonly confirm?: readonly ConfirmAnswer[];
  readonly status?: readonly StatusAnswer[];
  readonly session?: readonly SessionAnswer[];
}

/** Each question is answered by its list; the last answer is repeated. */
async function play(script: Script, isRepeat = false) {
  const asked: string[] = [];
  const progress: Progress[] = [];
  const waits: number[] = [];
  const answering = <Answer>(name: string, answers: readonly Answer[], otherwise: Answer) => {
    const left = [...answers];
    return () => {
      asked.push(name);
      const answer = (left.length > 1 ? left.shift() : left[0]) ?? otherwise;
      return Promise.resolve(answer);
    };
  };
  const service: CheckoutService = {
    confirm: answering('confirm', script.confirm ?? [], UNKNOWN),
    status: answering('status', script.status ?? [], UNKNOWN),
    session: answering('session', script.session ?? [], UNKNOWN),
  };
  let elapsedMs = 0;
  const ending: Ending = await confirmOnce({
    service,
    code: 'code',
    isRepeat,
    onProgress: (next) => progress.push(next),
    pace: {
      elapsedMs: () => elapsedMs,
      wait: (ms) => {
        waits.push(ms);
        elapsedMs += ms;
        return Promise.resolve();
      },
    },
  });
  return { ending, asked, progress, waits };
}

describe('a confirmation', () => {
  it('that is answered with its end is over', async () => {
    const { ending, asked } = await play({ confirm: [told('captured')] });
    expect([ending, asked]).toEqual([{ kind: 'settled', status: 'captured' }, ['confirm']]);
  });

  it('that is authorized is followed until it is settled', async () => {
    const { ending, asked } = await play({
      confirm: [told('authorized')],
      status: [told('authorized'), UNKNOWN, told('failed')],
    });
    expect(ending).toEqual({ kind: 'settled', status: 'failed' });
    expect(asked).toEqual(['confirm', 'status', 'status', 'status']);
  });

  it('that is not answered is asked about before it is sent again', async () => {
    const { ending, asked, progress } = await play({
      confirm: [UNKNOWN, told('captured')],
      status: [REFUSED],
    });
    expect(ending).toEqual({ kind: 'settled', status: 'captured' });
    expect(asked).toEqual(['confirm', 'status', 'confirm']);
    expect(progress.map(({ known }) => known)).toEqual(['sent', 'unanswered']);
  });

  it('whose answer was lost is found by its status, and sent no second time', async () => {
    const { ending, asked } = await play({ confirm: [UNKNOWN], status: [told('captured')] });
    expect(ending).toEqual({ kind: 'settled', status: 'captured' });
    expect(asked).toEqual(['confirm', 'status']);
  });

  it('that was sent before the page was loaded again is asked about first', async () => {
    const { asked } = await play({ status: [told('captured')] }, true);
    expect(asked).toEqual(['status']);
  });

  it('that is refused because a repeat was faster is found by its status', async () => {
    const { ending } = await play({ confirm: [REFUSED], status: [told('captured')] });
    expect(ending).toEqual({ kind: 'settled', status: 'captured' });
  });

  it('that is refused at once has confirmed nothing', async () => {
    const { ending } = await play({ confirm: [REFUSED], status: [REFUSED] });
    expect(ending).toEqual({ kind: 'session_refused' });
  });

  it('that is refused after a silence may have confirmed it: nobody knows', async () => {
    const { ending } = await play({ confirm: [UNKNOWN, REFUSED], status: [REFUSED] });
    expect(ending).toEqual({ kind: 'open', because: 'unknown' });
  });

  it('whose session ends while it is followed is pending', async () => {
    const { ending } = await play({ confirm: [told('authorized')], status: [REFUSED] });
    expect(ending).toEqual({ kind: 'open', because: 'pending' });
  });

  it.each([
    [OPEN, 'otherCode'],
    [REFUSED, 'closed'],
  ] as const)('in conflict, with a session that is %j, ends as %s', async (session, because) => {
    const { ending } = await play({
      confirm: [{ kind: 'conflict' }],
      session: [UNKNOWN, session],
    });
    expect(ending).toEqual({ kind: 'open', because });
  });

  it('whose code is refused has confirmed nothing, unless it was sent before', async () => {
    const refused = { kind: 'code_refused' } as const;
    expect(await play({ confirm: [refused] })).toMatchObject({ ending: refused });
    expect(await play({ confirm: [UNKNOWN, refused], status: [REFUSED] })).toMatchObject({
      ending: { kind: 'open', because: 'unknown' },
    });
  });

  it('waits as long as it is asked to, within reason', async () => {
    const busy = { kind: 'unknown', retryAfterMs: 3_000 } as const;
    const { waits } = await play({ confirm: [busy, told('captured')], status: [REFUSED] });
    expect(waits).toEqual([3_000]);
    const rude = { kind: 'unknown', retryAfterMs: 900_000 } as const;
    const bounded = await play({ confirm: [rude, told('captured')], status: [REFUSED] });
    expect(bounded.waits).toEqual([8_000]);
  });
});

const status = fc.constantFrom(...INTENT_STATUSES).map(told);
const statusAnswer = fc.oneof(status, fc.constant(REFUSED), fc.constant(UNKNOWN));
const confirmAnswer = fc.oneof(
  statusAnswer,
  fc.constantFrom({ kind: 'conflict' } as const, { kind: 'code_refused' } as const),
);
const sessionAnswer = fc.constantFrom(OPEN, REFUSED, UNKNOWN);
const scripts = fc.record({
  confirm: fc.array(confirmAnswer, { minLength: 1, maxLength: 6 }),
  status: fc.array(statusAnswer, { minLength: 1, maxLength: 6 }),
  session: fc.array(sessionAnswer, { minLength: 1, maxLength: 3 }),
});

describe('whatever is answered', () => {
  it('there is an end, and one that the service has told', async () => {
    await fc.assert(
      fc.asyncProperty(scripts, fc.boolean(), async (script, isRepeat) => {
        const { ending } = await play(script, isRepeat);
        const heard = [...script.confirm, ...script.status];
        const isTold =
          ending.kind !== 'settled' ||
          heard.some((answer) => answer.kind === 'told' && answer.status === ending.status);
        expect(isTold).toBe(true);
      }),
    );
  });

  it('nothing is called refused once an answer may have been lost', async () => {
    await fc.assert(
      fc.asyncProperty(scripts, async (script) => {
        const { ending } = await play({ ...script, confirm: [UNKNOWN, ...script.confirm] });
        expect(['session_refused', 'code_refused']).not.toContain(ending.kind);
      }),
    );
  });

  it('what was confirmed once is never unknown again', async () => {
    await fc.assert(
      fc.asyncProperty(scripts, async (script) => {
        const { progress } = await play(script);
        const known = progress.map((step) => step.known);
        const after = known.slice(known.indexOf('confirmed'));
        expect(known.includes('confirmed') ? new Set(after).size : 1).toBe(1);
      }),
    );
  });
});
