// The page's reaction to the service's answers, in any order (decisions 5, 6 and 29). It must never
// show "failed" unless the service has answered so.
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
const REJECTED = { kind: 'rejected' } as const;
const OPEN = {
  kind: 'open',
  session: {
    status: 'created',
    isOpen: true,
    amountUsdCents: 1,
    corridor: 'th_qrpay',
    expiresInSeconds: 1,
    returnSchemes: [],
    partner: null,
  },
} as const;
const PAUSED = { kind: 'open', session: { ...OPEN.session, isOpen: false } } as const;
const answered = (status: (typeof INTENT_STATUSES)[number]) => ({ kind: 'known', status }) as const;

interface Script {
  readonly confirm?: readonly ConfirmAnswer[];
  readonly status?: readonly StatusAnswer[];
  readonly session?: readonly SessionAnswer[];
}

/** Runs a confirmation. Each call is answered from its list, whose last answer repeats. */
async function play(script: Script, isRepeat = false) {
  const calls: string[] = [];
  const progress: Progress[] = [];
  const waits: number[] = [];
  const answering = <Answer>(name: string, answers: readonly Answer[], otherwise: Answer) => {
    const left = [...answers];
    return () => {
      calls.push(name);
      const answer = (left.length > 1 ? left.shift() : left[0]) ?? otherwise;
      return Promise.resolve(answer);
    };
  };
  const service: CheckoutService = {
    confirm: answering('confirm', script.confirm ?? [], UNKNOWN),
    status: answering('status', script.status ?? [], UNKNOWN),
    session: answering('session', script.session ?? [], UNKNOWN),
    now: () => new Date(0),
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
  return { ending, calls, progress, waits };
}

describe('a confirmation', () => {
  it('that is answered with a settled status is finished', async () => {
    const { ending, calls } = await play({ confirm: [answered('captured')] });
    expect([ending, calls]).toEqual([{ kind: 'settled', status: 'captured' }, ['confirm']]);
  });

  it('that is authorized is followed until it is settled', async () => {
    const { ending, calls } = await play({
      confirm: [answered('authorized')],
      status: [answered('authorized'), UNKNOWN, answered('failed')],
    });
    expect(ending).toEqual({ kind: 'settled', status: 'failed' });
    expect(calls).toEqual(['confirm', 'status', 'status', 'status']);
  });

  it('that is not answered reads the status before it is sent again', async () => {
    const { ending, calls, progress } = await play({
      confirm: [UNKNOWN, answered('captured')],
      status: [REJECTED],
    });
    expect(ending).toEqual({ kind: 'settled', status: 'captured' });
    expect(calls).toEqual(['confirm', 'status', 'confirm']);
    expect(progress.map(({ known }) => known)).toEqual(['sent', 'unanswered']);
  });

  it('whose answer was lost is found by its status, and not sent again', async () => {
    const { ending, calls } = await play({ confirm: [UNKNOWN], status: [answered('captured')] });
    expect(ending).toEqual({ kind: 'settled', status: 'captured' });
    expect(calls).toEqual(['confirm', 'status']);
  });

  it('that was sent before the page was reloaded reads the status first', async () => {
    const { calls } = await play({ status: [answered('captured')] }, true);
    expect(calls).toEqual(['status']);
  });

  it('that is rejected because its token was used ends as used: the code may be another', async () => {
    const { ending } = await play({ confirm: [REJECTED], status: [answered('captured')] });
    expect(ending).toEqual({ kind: 'used', status: 'captured' });
  });

  it('that is rejected at once has confirmed nothing', async () => {
    const { ending } = await play({ confirm: [REJECTED], status: [REJECTED] });
    expect(ending).toEqual({ kind: 'session_rejected' });
  });

  it('that is rejected after a lost answer is unknown, because it may have succeeded', async () => {
    const { ending } = await play({ confirm: [UNKNOWN, REJECTED], status: [REJECTED] });
    expect(ending).toEqual({ kind: 'open', because: 'unknown' });
  });

  it('in conflict with a suspension after a lost answer is unknown', async () => {
    const { ending } = await play({
      confirm: [UNKNOWN, { kind: 'conflict' }],
      session: [PAUSED],
      status: [REJECTED],
    });
    expect(ending).toEqual({ kind: 'open', because: 'unknown' });
  });

  it('whose session expires while it is followed is pending', async () => {
    const { ending } = await play({ confirm: [answered('authorized')], status: [REJECTED] });
    expect(ending).toEqual({ kind: 'open', because: 'pending' });
  });

  it.each([
    [OPEN, 'otherCode'],
    [PAUSED, 'paused'],
    [{ ...PAUSED, session: { ...PAUSED.session, status: 'authorized' } }, 'otherCode'],
    [REJECTED, 'closed'],
  ] as const)('in conflict, with a session that is %j, ends as %s', async (session, because) => {
    const { ending } = await play({
      confirm: [{ kind: 'conflict' }],
      session: [UNKNOWN, session],
      status: [REJECTED],
    });
    expect(ending).toEqual({ kind: 'open', because });
  });

  it('in conflict with another code of its token ends as used', async () => {
    const { ending } = await play({
      confirm: [{ kind: 'conflict' }],
      session: [REJECTED],
      status: [UNKNOWN, answered('authorized')],
    });
    expect(ending).toEqual({ kind: 'used', status: 'authorized' });
  });

  it('whose code is rejected has confirmed nothing, unless it was sent before', async () => {
    const rejectedCode = { kind: 'code_rejected' } as const;
    expect(await play({ confirm: [rejectedCode] })).toMatchObject({ ending: rejectedCode });
    expect(await play({ confirm: [UNKNOWN, rejectedCode], status: [REJECTED] })).toMatchObject({
      ending: { kind: 'open', because: 'unknown' },
    });
  });

  it('above the limit of the day has confirmed nothing, unless it was sent before', async () => {
    const limited = { kind: 'limited' } as const;
    expect(await play({ confirm: [limited] })).toMatchObject({
      ending: { kind: 'open', because: 'limited' },
    });
    expect(await play({ confirm: [UNKNOWN, limited], status: [REJECTED] })).toMatchObject({
      ending: { kind: 'open', because: 'unknown' },
    });
  });

  it('waits as long as Retry-After says, at most 8 s', async () => {
    const busy = { kind: 'unknown', retryAfterMs: 3_000 } as const;
    const { waits } = await play({ confirm: [busy, answered('captured')], status: [REJECTED] });
    expect(waits).toEqual([3_000]);
    const rude = { kind: 'unknown', retryAfterMs: 900_000 } as const;
    const bounded = await play({ confirm: [rude, answered('captured')], status: [REJECTED] });
    expect(bounded.waits).toEqual([8_000]);
  });
});

const status = fc.constantFrom(...INTENT_STATUSES).map(answered);
const statusAnswer = fc.oneof(status, fc.constant(REJECTED), fc.constant(UNKNOWN));
const confirmAnswer = fc.oneof(
  statusAnswer,
  fc.constantFrom<ConfirmAnswer>(
    { kind: 'conflict' },
    { kind: 'code_rejected' },
    { kind: 'limited' },
  ),
);
const sessionAnswer = fc.constantFrom(OPEN, REJECTED, UNKNOWN);
const scripts = fc.record({
  confirm: fc.array(confirmAnswer, { minLength: 1, maxLength: 6 }),
  status: fc.array(statusAnswer, { minLength: 1, maxLength: 6 }),
  session: fc.array(sessionAnswer, { minLength: 1, maxLength: 3 }),
});

describe('for any answers', () => {
  it('the confirmation finishes, with a status that the service has answered', async () => {
    await fc.assert(
      fc.asyncProperty(scripts, fc.boolean(), async (script, isRepeat) => {
        const { ending } = await play(script, isRepeat);
        const answers = [...script.confirm, ...script.status];
        const isAnswered =
          (ending.kind !== 'settled' && ending.kind !== 'used') ||
          answers.some((answer) => answer.kind === 'known' && answer.status === ending.status);
        expect(isAnswered).toBe(true);
      }),
    );
  });

  it('no outcome is a rejection once an answer may have been lost', async () => {
    await fc.assert(
      fc.asyncProperty(scripts, async (script) => {
        const { ending } = await play({ ...script, confirm: [UNKNOWN, ...script.confirm] });
        expect(['session_rejected', 'code_rejected']).not.toContain(ending.kind);
      }),
    );
  });

  it('a known confirmation is never unknown again', async () => {
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
